package io.kubemirror.testing.scripted;

import io.kubemirror.model.ResourceType;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The scripted server's reading of label and field selectors: equality, sets, presence; without the
 * comparisons {@code <} and {@code >} and without the exact messages for every syntax error.
 */
final class ScriptedSelectors {

    private static final Pattern SET =
            Pattern.compile("(?<key>[^\\s!=]+)\\s+(?<not>not)?in\\s*\\((?<values>[^)]*)\\)");
    private static final Pattern EQUALITY =
            Pattern.compile("(?<key>[^\\s!=]+)\\s*(?<operator>!=|==|=)\\s*(?<value>[^=!]*)");
    private static final Pattern PRESENCE = Pattern.compile("(?<not>!)?\\s*(?<key>[^\\s!=]+)");

    private static final Map<String, Set<String>> MORE_FIELDS =
            Map.of(
                    "pods", Set.of("spec.nodeName", "spec.restartPolicy", "status.phase"),
                    "namespaces", Set.of("status.phase"),
                    "nodes", Set.of("spec.unschedulable"),
                    "secrets", Set.of("type"),
                    "services", Set.of("spec.type", "spec.clusterIP"));

    private ScriptedSelectors() {}

    /** Reads a label selector. */
    static Predicate<ObjectNode> labels(String selector) {
        Predicate<ObjectNode> all = object -> true;
        for (String term : terms(selector)) {
            Predicate<ObjectNode> one = label(term);
            all = all.and(one);
        }
        return all;
    }

    private static List<String> terms(String selector) {
        List<String> terms = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < selector.length(); i++) {
            char c = selector.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                terms.add(selector.substring(start, i).strip());
                start = i + 1;
            }
        }
        terms.add(selector.substring(start).strip());
        return selector.isBlank() ? List.of() : terms;
    }

    private static Predicate<ObjectNode> label(String term) {
        Matcher set = SET.matcher(term);
        if (set.matches()) {
            Set<String> values = new TreeSet<>();
            for (String value : set.group("values").split(",", -1)) {
                values.add(value.strip());
            }
            return labelIn(set.group("key"), values, set.group("not") != null);
        }
        Matcher equality = EQUALITY.matcher(term);
        if (equality.matches()) {
            boolean negated = equality.group("operator").equals("!=");
            return labelIn(equality.group("key"), Set.of(equality.group("value").strip()), negated);
        }
        Matcher presence = PRESENCE.matcher(term);
        if (presence.matches()) {
            boolean absent = presence.group("not") != null;
            return object -> labelsOf(object).has(presence.group("key")) != absent;
        }
        throw StatusException.badRequest("unable to parse requirement: " + term);
    }

    private static Predicate<ObjectNode> labelIn(String key, Set<String> values, boolean negated) {
        return object -> {
            boolean has = labelsOf(object).has(key);
            return (has && values.contains(labelsOf(object).path(key).asString(""))) != negated;
        };
    }

    private static tools.jackson.databind.JsonNode labelsOf(ObjectNode object) {
        return object.path("metadata").path("labels");
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
