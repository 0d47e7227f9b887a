package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubeObjects;

import tools.jackson.databind.node.ObjectNode;

/**
 * The scripted server's reading of label and field selectors, which is that of kubemirror: the
 * parity suite compares it with a server.
 */
final class ScriptedSelectors {

    private ScriptedSelectors() {}

    static Predicate<ObjectNode> of(
            ResourceType type, String namespace, String labels, String fields) {
        try {
            FieldSelector byField = FieldSelectorParser.parse(fields);
            SelectableFields selectable = SelectableFields.of(type, List.of());
            String objection = selectable.objection(byField).orElse("");
            if (!objection.isEmpty()) {
                throw Rejection.badRequest(objection);
            }
            Selection selection =
                    new Selection(namespace, LabelSelectorParser.parse(labels), byField);
            return json -> selection.matches(object(json, selectable.extracted()));
        } catch (Rejection malformed) {
            throw StatusException.badRequest(String.valueOf(malformed.getMessage()));
        }
    }

    private static KubeObject object(ObjectNode json, List<SelectableField> selectable) {
        Map<String, String> labels = new HashMap<>();
        json.at("/metadata/labels").forEachEntry((key, value) -> labels.put(key, value.asString()));
        Map<String, String> fields = new HashMap<>();
        for (SelectableField field : selectable) {
            String pointer = "/" + String.join("/", field.sources().getFirst().segments());
            fields.put(field.label(), json.at(pointer).asString(field.fallback()));
        }
        return KubeObjects.object(JsonTrees.key(json), JsonTrees.revision(json))
                .with(labels, fields);
    }
}
