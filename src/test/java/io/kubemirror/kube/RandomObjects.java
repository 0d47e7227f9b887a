package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.FieldPath;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Random pods with unusual members, values, order, and white space. */
public final class RandomObjects {

    private static final List<String> NAMES =
            List.of("a", "b", "spec", "status", "x.y/z", "naïve", "q\\\"uote", "kind", "metadata");
    private static final List<String> SCALARS =
            List.of(
                    "1",
                    "-0",
                    "12345678901234567890",
                    "1.50",
                    "6.02e23",
                    "true",
                    "false",
                    "null",
                    "\"\"",
                    "\"text\"",
                    "\"{,}[]:\"",
                    "\"\\\"\\\\\"",
                    "\"\\u00e9\\ud83d\\ude00\"",
                    "\"é😀\"",
                    "[]",
                    "{}",
                    "[1, 2]",
                    "[{\"a\":[{\"b\":1}]}]");
    private static final Set<FieldPath> KEPT =
            Set.of(
                    FieldPath.parse("metadata"),
                    FieldPath.parse("metadata.name"),
                    FieldPath.parse("metadata.namespace"),
                    FieldPath.parse("metadata.uid"),
                    FieldPath.parse("metadata.resourceVersion"));

    private final Random random;

    public RandomObjects(Random random) {
        this.random = random;
    }

    public List<String> several(int count) {
        return several(count, true);
    }

    List<String> severalWithoutType(int count) {
        return several(count, false);
    }

    private List<String> several(int count, boolean type) {
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            objects.add(one(i, type));
        }
        return objects;
    }

    private String one(int number, boolean type) {
        List<String> metadata = new ArrayList<>(members(2));
        metadata.add(member("name", "\"n" + number + "\""));
        metadata.add(member("namespace", "\"ns\""));
        metadata.add(member("uid", "\"u" + number + "\""));
        metadata.add(member("resourceVersion", "\"" + (1 + random.nextInt(1_000_000)) + "\""));
        List<String> top = new ArrayList<>(members(3));
        top.removeIf(member -> member.startsWith("\"kind\"") || member.startsWith("\"metadata\""));
        top.add(member("metadata", object(metadata)));
        if (type) {
            top.add(member("kind", "\"Pod\""));
            top.add(member("apiVersion", "\"v1\""));
        }
        return object(top);
    }

    private List<String> members(int depth) {
        Set<String> names = new LinkedHashSet<>();
        int count = random.nextInt(5);
        while (names.size() < count) {
            names.add(NAMES.get(random.nextInt(NAMES.size())));
        }
        return names.stream().map(name -> member(name, value(depth))).toList();
    }

    private String value(int depth) {
        boolean nested = depth > 0 && random.nextInt(3) > 0;
        return nested
                ? object(new ArrayList<>(members(depth - 1)))
                : SCALARS.get(random.nextInt(SCALARS.size()));
    }

    private String member(String name, String value) {
        return "\"" + name + "\"" + blank() + ":" + blank() + value;
    }

    private String object(List<String> members) {
        Collections.shuffle(members, random);
        String separator = blank() + "," + blank();
        return "{" + blank() + String.join(separator, members) + blank() + "}";
    }

    private String blank() {
        return switch (random.nextInt(8)) {
            case 0 -> " ";
            case 1 -> "\n\t";
            default -> "";
        };
    }

    /** Some paths that exist in the objects, without those that cannot be dropped. */
    public List<FieldPath> pathsInto(List<String> objects) {
        Set<FieldPath> paths = new LinkedHashSet<>();
        for (String object : objects) {
            collect(JsonMapper.shared().readTree(object), List.of(), paths);
        }
        return paths.stream()
                .filter(path -> !KEPT.contains(path) && random.nextInt(6) == 0)
                .toList();
    }

    private static void collect(JsonNode node, List<String> prefix, Set<FieldPath> paths) {
        for (String name : node.propertyNames()) {
            List<String> path = new ArrayList<>(prefix);
            path.add(name);
            paths.add(new FieldPath(path));
            collect(node.get(name), path, paths);
        }
    }
}
