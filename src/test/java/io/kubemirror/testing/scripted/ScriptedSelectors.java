package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

/** The scripted server's reading of label and field selectors. */
final class ScriptedSelectors {

    private static final Pattern EQUALITY =
            Pattern.compile("(?<key>[^\\s!=]+)\\s*(?<operator>!=|==|=)\\s*(?<value>[^=!]*)");

    private static final Map<String, Set<String>> MORE_FIELDS =
            Map.of(
                    "pods", Set.of("spec.nodeName", "spec.restartPolicy", "status.phase"),
                    "namespaces", Set.of("status.phase"),
                    "nodes", Set.of("spec.unschedulable"),
                    "secrets", Set.of("type"),
                    "services", Set.of("spec.type", "spec.clusterIP"));

    private ScriptedSelectors() {}

    /** Reads a label selector; the parity suite compares how kubemirror reads it with a server. */
    static Predicate<ObjectNode> labels(String selector) {
        try {
            LabelSelector parsed = LabelSelectorParser.parse(selector);
            return object -> {
                Map<String, String> labels = new HashMap<>();
                object.at("/metadata/labels")
                        .forEachEntry((key, value) -> labels.put(key, value.asString()));
                return parsed.matches(labels);
            };
        } catch (Rejection malformed) {
            throw StatusException.badRequest("unable to parse requirement: " + selector);
        }
    }

    /** Reads a field selector for a type. */
    static Predicate<ObjectNode> fields(ResourceType type, String selector) {
        Predicate<ObjectNode> all = object -> true;
        Set<String> sorted = new TreeSet<>();
        for (String term : selector.split(",", -1)) {
            if (!term.isEmpty() && !EQUALITY.matcher(term).matches()) {
                throw StatusException.badRequest(
                        "invalid selector: '%s'; can't understand '%s'".formatted(selector, term));
            }
            if (!term.isEmpty()) {
                sorted.add(term);
            }
        }
        for (String term : sorted) {
            all = all.and(field(type, term));
        }
        return all;
    }

    private static Predicate<ObjectNode> field(ResourceType type, String term) {
        Matcher matcher = EQUALITY.matcher(term);
        if (!matcher.matches()) {
            throw new AssertionError("checked before");
        }
        String field = matcher.group("key");
        checkSupported(type, field);
        String pointer = "/" + field.replace('.', '/');
        String value = matcher.group("value");
        boolean negated = matcher.group("operator").equals("!=");
        return object -> object.at(pointer).asString("").equals(value) != negated;
    }

    private static void checkSupported(ResourceType type, String field) {
        Set<String> more = type.group().isEmpty() ? MORE_FIELDS.get(type.plural()) : null;
        boolean metadata =
                field.equals("metadata.name")
                        || (field.equals("metadata.namespace") && type.namespaced());
        if (metadata || (more != null && more.contains(field))) {
            return;
        }
        if (more != null || !type.builtIn()) {
            throw StatusException.badRequest("field label not supported: " + field);
        }
        String only = "only \"metadata.name\", \"metadata.namespace\"";
        throw StatusException.badRequest(
                "\"%s\" is not a known field selector: %s".formatted(field, only));
    }
}
