package io.kubemirror.model;

import java.util.regex.Pattern;

/**
 * A resource as people write it for kubectl: {@code pods}, {@code deployments.apps} or {@code
 * widgets.v1.example.com}.
 *
 * <p>Like kubectl, a name with two dots or more is read first as resource, version and group, then
 * as resource and group; which of the two it is, only discovery knows. The core group's name is
 * empty: {@code events.} and {@code events.v1.} are the core events, {@code events} alone may be
 * those of {@code events.k8s.io} too.
 *
 * @param text the name as it was written
 */
public record ResourceName(String text) {

    private static final Pattern SYNTAX =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\.?");

    /**
     * Checks the notation.
     *
     * @throws IllegalArgumentException if it is not a resource in kubectl's notation
     */
    public ResourceName {
        if (!SYNTAX.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is not a resource in kubectl's notation, such as pods,"
                            + " deployments.apps or widgets.v1.example.com");
        }
    }

    /** The plural: what stands before the first dot. */
    public String plural() {
        int dot = text.indexOf('.');
        return dot < 0 ? text : text.substring(0, dot);
    }

    /** How well this name fits a resource. */
    public Match match(String group, String version, String plural) {
        if (!plural.equals(plural())) {
            return Match.NONE;
        }
        if (text.equals(plural)) {
            return Match.GROUP;
        }
        String suffix = text.substring(plural.length() + 1);
        if (suffix.equals(version + "." + group)) {
            return Match.VERSION;
        }
        return suffix.equals(group) ? Match.GROUP : Match.NONE;
    }

    /** How a name fits a resource; later constants are better. */
    public enum Match {
        /** It means another resource. */
        NONE,
        /** It means this resource, in the server's preferred version. */
        GROUP,
        /** It means this resource in just this version. */
        VERSION
    }

    @Override
    public String toString() {
        return text;
    }
}
