package io.kubemirror.app.config;

import module java.base;

import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * The size of a part of a YAML file as properties, where each alias counts as what it stands for. A
 * few lines of aliases of aliases stand for more than any memory holds.
 *
 * @param values the number of properties
 * @param characters the length of their names and values in all
 * @param depth the depth of nesting
 */
record ExpandedSize(long values, long characters, int depth) {

    /** More than a configuration has; they take a few dozen MB. */
    static final long MAX_VALUES = 100_000;

    static final long MAX_CHARACTERS = 10_000_000;

    /** That of the parser without aliases. */
    static final int DEEPEST = 50;

    private static final String NO_NAMES = "is a list or a value, and has no names";

    private static final String TEMPLATE =
            "has braces in place of a name, such as a {{ template }} that is not rendered";

    private static final String NUMBER =
            "is a number with a leading zero or a colon, which YAML reads as another one, such as"
                    + " 0660 as 432, unless it is in quotes";

    private static final Pattern MISLEADING = Pattern.compile("[-+]?0[0-7_]+|.*:.*");

    private static final ExpandedSize EMPTY = new ExpandedSize(1, 0, 1);

    /**
     * Returns what makes a file too large, empty if nothing does.
     *
     * @throws ShapeException if the file has no names
     * @throws org.yaml.snakeyaml.error.YAMLException if it is malformed
     */
    static String problem(Resource resource) throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(Integer.MAX_VALUE);
        options.setNestingDepthLimit(DEEPEST);
        Yaml yaml = new Yaml(new SafeConstructor(options));
        IdentityHashMap<Node, ExpandedSize> known = new IdentityHashMap<>();
        try (InputStream bytes = resource.getInputStream();
                UnicodeReader text = new UnicodeReader(bytes)) {
            for (Node document : yaml.composeAll(text)) {
                if (!(document instanceof MappingNode) && !document.getTag().equals(Tag.NULL)) {
                    throw new ShapeException(NO_NAMES, document.getStartMark());
                }
                if (of(document, known).isTooLarge()) {
                    return ": has aliases (*) that stand for too much, or for themselves";
                }
            }
            return "";
        }
    }

    /** Parts come before the aliases that stand for them, so that this is as deep as the file. */
    private static ExpandedSize of(Node node, IdentityHashMap<Node, ExpandedSize> known) {
        ExpandedSize size = known.get(node);
        if (size != null) {
            return size;
        }
        // An alias within what it stands for finds this.
        known.put(node, new ExpandedSize(MAX_VALUES + 1, 0, 0));
        size =
                switch (node) {
                    case MappingNode mapping -> of(mapping, known);
                    case SequenceNode sequence -> of(sequence, known);
                    case ScalarNode scalar -> of(scalar);
                    default -> EMPTY;
                };
        known.put(node, size);
        return size;
    }

    private static ExpandedSize of(ScalarNode scalar) {
        String text = scalar.getValue();
        if (scalar.getTag().equals(Tag.INT) && MISLEADING.matcher(text).matches()) {
            throw new ShapeException(NUMBER, scalar.getStartMark());
        }
        return new ExpandedSize(1, text.length(), 1);
    }

    private static ExpandedSize of(MappingNode mapping, IdentityHashMap<Node, ExpandedSize> known) {
        ExpandedSize size = EMPTY;
        for (NodeTuple member : mapping.getValue()) {
            if (member.getKeyNode() instanceof MappingNode template) {
                throw new ShapeException(TEMPLATE, template.getStartMark());
            }
            ExpandedSize key = of(member.getKeyNode(), known);
            size = size.with(0, key).with(key.characters, of(member.getValueNode(), known));
        }
        return size;
    }

    private static ExpandedSize of(
            SequenceNode sequence, IdentityHashMap<Node, ExpandedSize> known) {
        ExpandedSize size = EMPTY;
        for (Node element : sequence.getValue()) {
            size =
                    size.with(
                            String.valueOf(sequence.getValue().size()).length(),
                            of(element, known));
        }
        return size;
    }

    /** Adds a member. What is too large stays so, and does not overflow. */
    private ExpandedSize with(long name, ExpandedSize member) {
        return isTooLarge() || member.isTooLarge()
                ? new ExpandedSize(MAX_VALUES + 1, 0, 0)
                : new ExpandedSize(
                        values + member.values,
                        characters + member.characters + member.values * (name + 2),
                        Math.max(depth, member.depth + 1));
    }

    private boolean isTooLarge() {
        return values > MAX_VALUES || characters > MAX_CHARACTERS || depth > DEEPEST;
    }

    /** Signals YAML that is no configuration. */
    static final class ShapeException extends MarkedYAMLException {

        @Serial private static final long serialVersionUID = 1;

        private ShapeException(String problem, Mark mark) {
            super(null, null, problem, mark);
        }
    }
}
