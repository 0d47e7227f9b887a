package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubeObjects;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

/**
 * The options of a list or watch, and what they select. The scripted server reads them as
 * kubemirror does, which the parity suite compares with a server. Combinations of options are not
 * checked, because kubemirror sends only valid ones.
 *
 * @param sent the options, with the defaults of a watch (list-watch.md#wa-2)
 * @param revision the revision as a number, 0 for unset
 * @param selection the namespace and the selectors as one predicate
 */
record ScriptedListOptions(ListOptions sent, long revision, Predicate<ObjectNode> selection) {

    static ScriptedListOptions of(ReceivedRequest request, ResourceType type) {
        try {
            ListOptions options = ListOptions.decode(request.query(), false);
            if (request.isTrue("watch")) {
                options = options.withWatchDefaults();
            }
            if (request.route().path() instanceof RequestPath.Item named) {
                options = options.named(named.name());
            }
            Revision revision = ListOptions.revision(options.revision(), Revision.ZERO);
            return new ScriptedListOptions(
                    options,
                    Long.parseUnsignedLong(revision.digits()),
                    selection(type, request.route().namespace(), options));
        } catch (Rejection malformed) {
            throw StatusException.badRequest(String.valueOf(malformed.getMessage()));
        }
    }

    private static Predicate<ObjectNode> selection(
            ResourceType type, String namespace, ListOptions options) throws Rejection {
        SelectableFields selectable = SelectableFields.of(type, List.of());
        String objection = selectable.objection(options.fields()).orElse("");
        if (!objection.isEmpty()) {
            throw Rejection.badRequest(objection);
        }
        Selection selection = new Selection(namespace, options.labels(), options.fields());
        return json -> selection.matches(object(json, selectable.extracted()));
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

    /** Reads the token, which goes without a revision. */
    ContinueToken token() {
        if (revision != 0) {
            throw StatusException.badRequest(
                    "specifying resource version is not allowed when using continue");
        }
        try {
            return ContinueToken.decode(sent.token());
        } catch (Rejection invalid) {
            throw StatusException.badRequest(String.valueOf(invalid.getMessage()));
        }
    }

    /** Whether there is no selector. */
    boolean selectsAll() {
        return sent.labels().isEverything() && sent.fields().isEverything();
    }

    /** Whether the present state comes first; null where the client does not say. */
    @Nullable Boolean initialEvents() {
        return sent.streaming().initialEvents();
    }
}
