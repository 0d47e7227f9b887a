package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * The members in which two states of an object differ, in the order of the document. Elements of
 * arrays are compared by their position.
 *
 * @param members the members, at most {@link #MEMBERS}
 * @param more whether there are more than these
 */
record ObjectDifference(List<Member> members, boolean more) {

    /**
     * The memory that a comparison takes, as a multiple of the size of both states: a parsed tree
     * is five to ten times the size of its text.
     */
    static final int MEMORY = 10;

    private static final int MEMBERS = 200;

    /** Maximum number of characters of a value. */
    private static final int MAX_LENGTH = 1_000;

    /** Different in any two states, or much larger than what changed. */
    private static final Set<String> LEFT_OUT =
            Set.of("metadata.resourceVersion", "metadata.managedFields");

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_$][-A-Za-z0-9_$]*");

    /**
     * A member that differs.
     *
     * @param path the path, such as {@code spec.containers[0].image}
     * @param before the first value as JSON, null if it was not there
     * @param after the second value as JSON, null if it is not there
     */
    record Member(String path, @Nullable String before, @Nullable String after) {}

    /**
     * Compares two states.
     *
     * @throws tools.jackson.core.JacksonException if one of them is no JSON, or nested too deeply
     */
    static ObjectDifference between(KubeObject before, KubeObject after) {
        List<Member> found = new ArrayList<>();
        JsonMapper mapper = JsonMapper.shared();
        compare("", mapper.readTree(before.json()), mapper.readTree(after.json()), found);
        boolean more = found.size() > MEMBERS;
        return new ObjectDifference(more ? found.subList(0, MEMBERS) : found, more);
    }

    private static void compare(String path, JsonNode before, JsonNode after, List<Member> found) {
        if (found.size() > MEMBERS || LEFT_OUT.contains(path) || before.equals(after)) {
            return;
        }
        if (before.isObject() && after.isObject()) {
            Set<String> names = new LinkedHashSet<>(before.propertyNames());
            names.addAll(after.propertyNames());
            for (String name : names) {
                compare(member(path, name), before.path(name), after.path(name), found);
            }
        } else if (before.isArray() && after.isArray()) {
            for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
                compare(path + "[" + i + "]", before.path(i), after.path(i), found);
            }
        } else {
            found.add(new Member(path, text(before), text(after)));
        }
    }

    private static String member(String path, String name) {
        String segment =
                PLAIN.matcher(name).matches() ? name : JsonMapper.shared().writeValueAsString(name);
        if (segment.equals(name)) {
            return path.isEmpty() ? name : path + "." + name;
        }
        return path + "[" + segment + "]";
    }

    private static @Nullable String text(JsonNode value) {
        if (value instanceof MissingNode) {
            return null;
        }
        String text = value.toString();
        return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "..." : text;
    }
}
