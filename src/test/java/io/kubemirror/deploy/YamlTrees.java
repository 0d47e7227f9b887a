package io.kubemirror.deploy;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads YAML as JSON trees, and writes it. */
public final class YamlTrees {

    private YamlTrees() {}

    /** The documents of a text, but for empty ones. */
    static List<ObjectNode> documents(String text) {
        var yaml = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions()));
        return StreamSupport.stream(yaml.loadAll(text).spliterator(), false)
                .filter(Objects::nonNull)
                .map(document -> JsonMapper.shared().<ObjectNode>valueToTree(document))
                .toList();
    }

    /** The only document of a text. */
    static ObjectNode document(String text) {
        List<ObjectNode> documents = documents(text);
        if (documents.size() != 1) {
            throw new IllegalArgumentException(documents.size() + " documents");
        }
        return documents.getFirst();
    }

    /** A document with its mark, in the order of the tree. */
    static String text(ObjectNode document) {
        DumperOptions options = new DumperOptions();
        options.setExplicitStart(true);
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setWidth(200);
        options.setIndicatorIndent(2);
        options.setIndentWithIndicator(true);
        return new org.yaml.snakeyaml.Yaml(options)
                .dump(JsonMapper.shared().treeToValue(document, Map.class));
    }

    /** The only document of a file. */
    public static ObjectNode file(Path file) {
        return Unchecked.call(() -> document(Files.readString(file)));
    }
}
