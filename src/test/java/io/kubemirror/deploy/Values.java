package io.kubemirror.deploy;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;

/**
 * Values for a chart.
 *
 * @param tree what the file of values says
 */
public record Values(ObjectNode tree) {

    private static final Path SETS = Path.of("src/test/resources/io/kubemirror/deploy/values");

    /** Those of a YAML text. */
    public static Values of(String yaml) {
        return new Values(Yaml.document(yaml));
    }

    /** One of the two sets that the tests use for all shapes: {@code small} or {@code full}. */
    static Values set(String name) {
        return new Values(Yaml.file(SETS.resolve(name + ".yaml")));
    }

    /** The same for another shape. */
    Values shape(String shape) {
        return new Values(tree.deepCopy().put("shape", shape));
    }

    /** The same with something else at a pointer such as {@code /image/tag}, made of JSON. */
    Values with(String pointer, String json) {
        ObjectNode copy = tree.deepCopy();
        int end = pointer.lastIndexOf('/');
        ObjectNode owner = end == 0 ? copy : copy.withObject(pointer.substring(0, end));
        owner.set(pointer.substring(end + 1), JsonMapper.shared().readTree(json));
        return new Values(copy);
    }

    /** The same for a chart that depends on the one they are for. */
    Values under(String dependency) {
        ObjectNode outer = JsonMapper.shared().createObjectNode();
        outer.set(dependency, tree);
        return new Values(outer);
    }

    /** JSON, which is YAML too. */
    @Override
    public String toString() {
        return JsonMapper.shared().writeValueAsString(tree);
    }
}
