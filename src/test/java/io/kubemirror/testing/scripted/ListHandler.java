package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.JsonTrees;

import org.pcollections.TreePMap;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers lists (list-watch.md#list-combinations, #paging). */
final class ListHandler {

    private final ResourceStore store;

    ListHandler(ResourceStore store) {
        this.store = store;
    }

    /** A state of the collection and the place in it to begin at. */
    private record ListSource(long revision, TreePMap<String, ObjectNode> content, String start) {

        /** Returns the remaining objects, in one namespace or in all. */
        List<ObjectNode> rest(String namespace) {
            return content.tailMap(start, true).values().stream()
                    .filter(
                            object ->
                                    namespace.isEmpty()
                                            || JsonTrees.namespace(object).equals(namespace))
                    .toList();
        }
    }

    ObjectNode list(ReceivedRequest request, ResourceType type, ScriptedListOptions options) {
        String namespace = request.route().namespace();
        ListSource source =
                options.sent().token().isEmpty()
                        ? first(type, options)
                        : next(type, options, namespace);
        boolean paged = options.sent().isLimited() && !options.sent().revision().equals("0");
        long size = paged ? options.sent().limit() : Long.MAX_VALUE;
        return page(type, options, namespace, source, size);
    }

    private ListSource first(ResourceType type, ScriptedListOptions options) {
        long revision = options.revision();
        store.awaitRevision(revision);
        boolean exact =
                options.sent().isExact()
                        || (revision != 0
                                && options.sent().isLimited()
                                && options.sent().match().isEmpty());
        return exact ? exactly(type, revision, "") : mostRecent(type, "");
    }

    private ListSource next(ResourceType type, ScriptedListOptions options, String namespace) {
        ContinueToken token = options.token();
        String start = namespace.isEmpty() ? token.start() : namespace + "/" + token.start();
        if (token.revision() == null) {
            return mostRecent(type, start);
        }
        long revision = Long.parseLong(token.revision().digits());
        if (revision < store.compacted()) {
            throw new StatusException(StatusErrors.expiredContinue(token.inconsistent().encode()));
        }
        store.awaitRevision(revision);
        return exactly(type, revision, start);
    }

    private ListSource mostRecent(ResourceType type, String start) {
        return store.locked(
                () -> new ListSource(store.revision(), store.series(type).content(), start));
    }

    private ListSource exactly(ResourceType type, long revision, String start) {
        return store.locked(
                () -> {
                    if (revision < store.compacted()) {
                        throw new StatusException(StatusErrors.expiredList());
                    }
                    return new ListSource(revision, store.series(type).contentAt(revision), start);
                });
    }

    /**
     * Returns a page of matching objects. It is the last one if no objects follow, whether they
     * match or not (list-watch.md#co-7).
     */
    private static ObjectNode page(
            ResourceType type,
            ScriptedListOptions options,
            String namespace,
            ListSource source,
            long size) {
        List<ObjectNode> page = new ArrayList<>();
        int remaining = 0;
        for (ObjectNode object : source.rest(namespace)) {
            if (page.size() == size) {
                remaining++;
            } else if (options.selection().test(object)) {
                page.add(object);
            }
        }
        ObjectNode metadata = JsonTrees.object();
        if (remaining > 0) {
            String last = JsonTrees.key(page.getLast());
            String relative = namespace.isEmpty() ? last : last.substring(namespace.length() + 1);
            Revision revision = new Revision(Long.toString(source.revision()));
            metadata.put("continue", ContinueToken.after(revision, relative).encode());
        } else if (!type.builtIn()) {
            metadata.put("continue", "");
        }
        if (remaining > 0 && options.selectsAll()) {
            metadata.put("remainingItemCount", remaining);
        }
        metadata.put("resourceVersion", Long.toString(source.revision()));
        return body(type, metadata, page);
    }

    private static ObjectNode body(
            ResourceType type, ObjectNode metadata, List<ObjectNode> objects) {
        ArrayNode items = JsonTrees.object().putArray("items");
        objects.forEach(object -> items.add(item(type, object)));
        ObjectNode body = JsonTrees.object();
        if (type.builtIn()) {
            body.put("kind", type.kind() + "List").put("apiVersion", type.apiVersion());
            body.set("metadata", metadata);
            body.set("items", items);
        } else {
            body.put("apiVersion", type.apiVersion()).set("items", items);
            body.put("kind", type.kind() + "List").set("metadata", metadata);
        }
        return body;
    }

    /**
     * The object as it stands in a list: without type if the type is built in (list-watch.md#en-1,
     * #en-1).
     */
    private static ObjectNode item(ResourceType type, ObjectNode object) {
        if (!type.builtIn()) {
            return object;
        }
        ObjectNode item = object.deepCopy();
        item.remove(List.of("kind", "apiVersion"));
        return item;
    }
}
