package io.kubemirror.deploy;

import module java.base;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Values of a chart.
 *
 * @param tree what the file of values says
 */
public record ChartValues(ObjectNode tree) {

    private static final Path SETS = Path.of("src/test/resources/io/kubemirror/deploy/values");

    /** Those of a YAML text. */
    public static ChartValues of(String yaml) {
        return new ChartValues(YamlTrees.document(yaml));
    }

    /** One of the two sets that the tests use for all modes: {@code small} or {@code full}. */
    static ChartValues set(String name) {
        return new ChartValues(YamlTrees.file(SETS.resolve(name + ".yaml")));
    }

    /** The values of an example in the directory of the chart. */
    static ChartValues example(String name) {
        return new ChartValues(YamlTrees.file(Path.of("helm/kubemirror/examples", name + ".yaml")));
    }

    /** The same for another mode. */
    ChartValues mode(String mode) {
        return new ChartValues(tree.deepCopy().put("mode", mode));
    }

    /** The same with something else at a pointer such as {@code /image/tag}, made of JSON. */
    ChartValues with(String pointer, String json) {
        ObjectNode copy = tree.deepCopy();
        int end = pointer.lastIndexOf('/');
        ObjectNode owner = end == 0 ? copy : copy.withObject(pointer.substring(0, end));
        owner.set(pointer.substring(end + 1), JsonMapper.shared().readTree(json));
        return new ChartValues(copy);
    }

    /** The same for a chart that depends on the one they are for. */
    ChartValues under(String dependency) {
        ObjectNode outer = JsonMapper.shared().createObjectNode();
        outer.set(dependency, tree);
        return new ChartValues(outer);
    }

    /** JSON, which is YAML too. */
    @Override
    public String toString() {
        return JsonMapper.shared().writeValueAsString(tree);
    }
}
