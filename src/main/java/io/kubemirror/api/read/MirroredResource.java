package io.kubemirror.api.read;

import static java.util.stream.Collectors.joining;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.ListArrangement;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.Selection;

/**
 * A resource and the mirrors that together hold the configured part of it.
 *
 * <p>A mirror may cover one namespace, or the objects that some selectors match. Each request is
 * served by a single mirror that covers everything requested, or it is rejected. Responses are
 * never partial (list-watch.md#ca-7).
 *
 * @param type the type of the objects
 * @param mirrors the mirrors, at least one
 * @param unresolved further mirrors that may be of this type, which was not known when the others
 *     were found
 * @param directory found the mirrors
 */
public record MirroredResource(
        ResourceType type,
        List<Mirror> mirrors,
        List<Mirror> unresolved,
        MirrorDirectory directory) {

    /** Sorts mirrors of whole objects before mirrors of metadata only. */
    public MirroredResource {
        mirrors =
                mirrors.stream()
                        .sorted(Comparator.comparing(mirror -> mirror.scope().extent()))
                        .toList();
    }

    /**
     * Returns a list or watch request for a part of the resource (list-watch.md#order-of-checks,
     * checks 4 to 6).
     *
     * @param namespace the namespace in the path, empty if the path has none
     * @param options the checked options
     * @param query may name an order or a count
     * @throws Rejection if no mirror covers all of it, a field is not selectable, or the shard
     *     selector or the order is malformed
     */
    CollectionRequest select(String namespace, ListOptions options, Query query) throws Rejection {
        FieldSelector fields = options.fields();
        String narrowed =
                namespace.isEmpty() && type.namespaced()
                        ? fields.required(ListOptions.NAMESPACE).orElse("")
                        : namespace;
        Selection selection = new Selection(narrowed, options.labels(), fields);
        Mirror mirror = preferred(selection).orElseThrow(() -> outside(selection, ""));
        // What field selectors may use (list-watch.md#fs-5).
        SelectableFields selectable =
                SelectableFields.of(
                        type,
                        mirror.declaredFields(),
                        mirror.reads().indexed(),
                        mirror.scope().extent());
        Optional<String> objection = selectable.objection(fields);
        if (objection.isPresent()) {
            throw Rejection.badRequest(objection.get());
        }
        Selection sharded = new Selection(narrowed, options.labels(), fields, options.shard());
        return new CollectionRequest(
                type,
                mirror,
                sharded.isEverything() ? Selection.everything() : sharded,
                options,
                ListArrangement.read(query, mirror.scope()).orElse(null));
    }

    /**
     * Returns the mirror that serves one object: the one that holds it, otherwise the one that
     * covers it.
     *
     * @throws Rejection if no mirror covers the object
     */
    public Mirror mirrorOf(RequestPath.Item item) throws Rejection {
        String namespace = item.namespace();
        String name = item.name();
        ObjectKey key = ObjectKey.of(namespace, name);
        for (Mirror mirror : mirrors) {
            if (mirror.snapshot().flatMap(state -> state.get(key)).isPresent()) {
                return mirror;
            }
        }
        Selection only = only(namespace, name);
        return preferred(only).orElseThrow(() -> outside(only, name));
    }

    private Optional<Mirror> preferred(Selection selection) {
        List<Mirror> covering =
                mirrors.stream().filter(mirror -> mirror.scope().covers(selection)).toList();
        return covering.stream()
                .filter(mirror -> mirror.snapshot().isPresent())
                .findFirst()
                .or(() -> covering.stream().findFirst());
    }

    /** Returns the selection of a single object, as a client would express it. */
    private static Selection only(String namespace, String name) {
        try {
            return new Selection(namespace, LabelSelector.everything(), ListOptions.ofName(name));
        } catch (Rejection malformed) {
            return new Selection(namespace, LabelSelector.everything(), FieldSelector.everything());
        }
    }

    /** Clients take 403 as final, which what a mirror is about to have is not. */
    private Rejection outside(Selection wanted, String name) {
        return unresolved.stream()
                .filter(mirror -> mirror.scope().covers(wanted))
                .findFirst()
                .map(directory::initializing)
                .orElseGet(() -> beyond(name));
    }

    /** Says what is mirrored, and how to have more. */
    private Rejection beyond(String name) {
        String parts =
                Stream.concat(mirrors.stream(), unresolved.stream())
                        .map(mirror -> mirror.scope().toString())
                        .collect(joining(", "));
        String why =
                directory.isOpen()
                        ? ("kubemirror mirrors only %s; request a part of it, or change the"
                                        + " namespaces and selectors of %s in kubemirror.resources")
                                .formatted(parts, type.groupResource())
                        : "kubemirror mirrors another part of %s".formatted(type.groupResource());
        return Rejection.beyondMirror(StatusErrors.forbidden(type, name, why));
    }

    /** Returns the name of the resource, as configured. */
    String name() {
        return mirrors().getFirst().scope().resource().text();
    }
}
