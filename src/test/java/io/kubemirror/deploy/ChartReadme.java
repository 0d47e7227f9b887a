package io.kubemirror.deploy;

import module java.base;

import io.kubemirror.testing.Unchecked;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The README of the chart, with a table of its values and their comments. */
final class ChartReadme {

    static final Path FILE = Path.of("helm/kubemirror/README.md");

    private static final Path VALUES = Path.of("helm/kubemirror/values.yaml");
    private static final Pattern KEY = Pattern.compile("( *)([\\w.]+):.*");

    private final ObjectNode values = YamlTrees.file(VALUES);

    /** Comments by JSON pointers of what they are about. */
    private final Map<String, String> comments = comments();

    /** Reads the comments above the keys. A blank line ends a comment that is about no key. */
    private static Map<String, String> comments() {
        Map<String, String> comments = new LinkedHashMap<>();
        List<String> comment = new ArrayList<>();
        List<String> path = new ArrayList<>();
        for (String line : Unchecked.call(() -> Files.readAllLines(VALUES))) {
            Matcher key = KEY.matcher(line);
            if (line.stripLeading().startsWith("# ")) {
                comment.add(line.strip().substring(2));
            } else if (key.matches()) {
                int depth = key.group(1).length() / 2;
                path.subList(Math.min(depth, path.size()), path.size()).clear();
                path.add(key.group(2));
                if (!comment.isEmpty()) {
                    comments.put("/" + String.join("/", path), String.join(" ", comment));
                }
                comment.clear();
            } else {
                comment.clear();
            }
        }
        return comments;
    }

    /** The pointers of values without a comment of their own or of what they belong to. */
    List<String> undocumented() {
        List<String> found = new ArrayList<>();
        collectUndocumented("", values, found);
        return found;
    }

    private void collectUndocumented(String pointer, JsonNode value, List<String> found) {
        if (comments.containsKey(pointer) && isRow(pointer)) {
            return;
        }
        if (value.isObject() && !value.isEmpty()) {
            value.forEachEntry(
                    (name, member) -> collectUndocumented(pointer + "/" + name, member, found));
        } else {
            found.add(pointer);
        }
    }

    /** Whether nothing within a value has a comment of its own. */
    private boolean isRow(String pointer) {
        return comments.keySet().stream().noneMatch(other -> other.startsWith(pointer + "/"));
    }

    String text() {
        ObjectNode chart = YamlTrees.file(Path.of("helm/kubemirror/Chart.yaml"));
        StringBuilder text =
                new StringBuilder(
                        """
                        # kubemirror

                        %s

                        ```shell
                        helm install mirror oci://ghcr.io/kubemirror/charts/kubemirror --version %s --values mirror.yaml
                        helm test mirror
                        ```

                        [Deploy kubemirror](https://github.com/kubemirror/kubemirror/blob/main/src/docs/deployment.md) explains the modes and has values for each. [A production template](examples/production.yaml) is a mirror that a few hundred pods read over TLS.

                        ## Values

                        The chart refuses unknown values. `ChartReadmeTest` writes this table from the comments in [values.yaml](values.yaml).

                        | Value | Default | Meaning |
                        | --- | --- | --- |
                        """
                                .formatted(
                                        chart.path("description").asString(),
                                        chart.path("version").asString()));
        comments.forEach((pointer, comment) -> text.append(row(pointer, comment)));
        return text.toString();
    }

    private String row(String pointer, String comment) {
        JsonNode value = values.at(pointer);
        boolean empty = !isRow(pointer) || (value.isString() && value.asString().isEmpty());
        return "| `%s` | %s | %s |\n"
                .formatted(
                        pointer.substring(1).replace('/', '.'),
                        empty ? "" : "`" + (value.isString() ? value.asString() : value) + "`",
                        comment.replace("|", "\\|"));
    }
}
