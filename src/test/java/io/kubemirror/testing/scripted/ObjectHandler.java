package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ObjectNode;

/** Reads and writes single objects. */
final class ObjectHandler {

    private final ResourceStore store;

    ObjectHandler(ResourceStore store) {
        this.store = store;
    }

    void get(ReceivedRequest request, ResourceType type, ScriptedResponse answer)
            throws IOException {
        String wanted = request.parameter("resourceVersion");
        long revision = wanted.isEmpty() ? 0 : Long.parseUnsignedLong(wanted);
        store.awaitRevision(revision);
        ObjectNode found = store.locked(() -> store.series(type).find(key(request)));
        if (found == null) {
            throw new StatusException(StatusErrors.notFound(type, request.route().name()));
        }
        answer.json(200, RequestedForm.of(request).object(found));
    }

    void write(ReceivedRequest request, ResourceType type, ScriptedResponse answer)
            throws IOException {
        boolean collection = request.route().name().isEmpty();
        switch (request.method()) {
            case String method when method.equals("POST") && collection ->
                    answer.json(201, store.create(type, body(request, type)));
            case String method when method.equals("PUT") && !collection ->
                    answer.json(200, store.update(type, body(request, type)));
            case String method when method.equals("PATCH") && !collection ->
                    answer.json(
                            200, store.patch(type, key(request), JsonTrees.parse(request.body())));
            case String method when method.equals("DELETE") && !collection ->
                    answer.json(200, deleted(type, store.delete(type, key(request))));
            case String _ -> throw new StatusException(StatusErrors.methodNotAllowed());
        }
    }

    private static String key(ReceivedRequest request) {
        return JsonTrees.key(request.route().namespace(), request.route().name());
    }

    private static ObjectNode body(ReceivedRequest request, ResourceType type) {
        ObjectNode sent = JsonTrees.parse(request.body());
        ObjectNode object =
                JsonTrees.object().put("kind", type.kind()).put("apiVersion", type.apiVersion());
        object.setAll(sent);
        String namespace = request.route().namespace();
        if (!namespace.isEmpty()) {
            object.withObject("metadata").put("namespace", namespace);
        }
        return object;
    }

    private static ObjectNode deleted(ResourceType type, ObjectNode object) {
        ObjectNode status = JsonTrees.object().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        status.put("status", "Success");
        status.putObject("details")
                .put("name", JsonTrees.name(object))
                .put("kind", type.plural())
                .put("uid", object.path("metadata").path("uid").asString(""));
        return status;
    }
}
