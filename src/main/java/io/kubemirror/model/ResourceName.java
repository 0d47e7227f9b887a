package io.kubemirror.model;

import module java.base;

/**
 * A resource in kubectl's notation: {@code pods}, {@code deployments.apps}, or {@code
 * widgets.v1.example.com}.
 *
 * <p>As in kubectl, a name with two dots or more is read first as resource, version, and group,
 * then as resource and group; only discovery can decide between them. The core group's name is
 * empty: {@code events.} and {@code events.v1.} are the core events, while {@code events} alone may
 * also be those of {@code events.k8s.io}.
 *
 * @param text the name as it was written
 */
public record ResourceName(String text) {

    private static final Pattern SYNTAX =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\.?");

    private static final Pattern VERSION =
            Pattern.compile("v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?");

    /**
     * Validates the notation.
     *
     * @throws IllegalArgumentException if it is not a resource in kubectl's notation
     */
    public ResourceName {
        if (!isValid(text)) {
            throw new IllegalArgumentException(
                    ("'%s' is not a resource in kubectl's notation, such as pods,"
                                    + " deployments.apps or widgets.v1.example.com")
                            .formatted(text));
        }
    }

    /** Returns whether a text is a resource in this notation. */
    public static boolean isValid(String text) {
        return SYNTAX.matcher(text).matches();
    }

    /** Returns whether a text is a version as Kubernetes names them, and no part of a group. */
    public static boolean isVersion(String text) {
        return VERSION.matcher(text).matches();
    }

    /** Returns the plural: the text before the first dot. */
    public String plural() {
        int dot = text.indexOf('.');
        return dot < 0 ? text : text.substring(0, dot);
    }

    /**
     * Returns how well this name matches a resource.
     *
     * @param version the version, empty for any
     */
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
        int end = suffix.length() - group.length() - 1;
        boolean anyVersion =
                version.isEmpty()
                        && suffix.endsWith("." + group)
                        && isVersion(suffix.substring(0, end));
        return suffix.equals(group) || anyVersion ? Match.GROUP : Match.NONE;
    }

    /** Returns how well this name matches a type. */
    public Match match(ResourceType type) {
        return match(type.group(), type.version(), type.plural());
    }

    /**
     * Returns the one of several types that this name resolves to, empty if it is for none.
     *
     * @param types of a group the preferred version first
     * @param type returns the type of an element
     */
    public <T> Optional<T> resolve(Collection<T> types, Function<T, ResourceType> type) {
        return Stream.of(Match.VERSION, Match.GROUP)
                .flatMap(match -> types.stream().filter(one -> match(type.apply(one)) == match))
                .findFirst();
    }

    /** The quality of a match; later constants are better. */
    public enum Match {
        /** The name refers to another resource. */
        NONE,
        /** The name refers to this resource, in the server's preferred version. */
        GROUP,
        /** The name refers to this resource in exactly this version. */
        VERSION
    }

    @Override
    public String toString() {
        return text;
    }
}
