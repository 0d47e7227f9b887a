package io.kubemirror.api.read;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.FieldSelectors;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.OptionRules;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;

import java.util.Optional;

/**
 * Parses paths and options into collection requests (list-watch.md#order-of-checks, checks 3 to 6).
 */
public final class CollectionRequestParser {

    private final FieldSupport support;

    public CollectionRequestParser(FieldSupport support) {
        this.support = support;
    }

    /**
     * Parses a list request.
     *
     * @throws Rejection if the request is invalid or cannot be served
     */
    public CollectionRequest list(
            MirroredResource resource, RequestPath.Collection path, Query query) throws Rejection {
        ListOptions options = ListOptions.decode(query, false);
        OptionRules.checkList(options);
        return request(resource, path.namespace(), options);
    }

    /**
     * Parses a watch request.
     *
     * @param options the decoded options
     * @throws Rejection if the request cannot be served
     */
    public CollectionRequest watch(
            MirroredResource resource, RequestPath.Collection path, ListOptions options)
            throws Rejection {
        OptionRules.checkWatch(options);
        return request(resource, path.namespace(), options);
    }

    /**
     * Parses a watch request on a deprecated path, which follows the rules of lists
     * (list-watch.md#pa-9).
     *
     * @param options the decoded options
     * @throws Rejection if the request cannot be served
     */
    public CollectionRequest deprecatedWatch(
            MirroredResource resource, RequestPath.Collection path, ListOptions options)
            throws Rejection {
        OptionRules.checkList(options);
        return request(resource, path.namespace(), options);
    }

    /**
     * Returns the options of a deprecated path that names one object (list-watch.md#pa-8, #pa-10).
     *
     * @throws Rejection if the options select a different object
     */
    public static ListOptions named(String name, ListOptions options) throws Rejection {
        FieldSelector fields = options.fields();
        if (fields.isEverything()) {
            return options.with(selectorOf(name));
        }
        if (!fields.required(FieldSelectors.NAME).equals(Optional.of(name))) {
            throw new Rejection(
                    StatusErrors.badRequest(
                            "fieldSelector metadata.name doesn't match requested name"));
        }
        return options;
    }

    private static FieldSelector selectorOf(String name) throws Rejection {
        try {
            return FieldSelectors.ofName(name);
        } catch (SelectorException unspeakable) {
            throw new Rejection(StatusErrors.badRequest(String.valueOf(unspeakable.getMessage())));
        }
    }

    private CollectionRequest request(
            MirroredResource resource, String namespace, ListOptions options) throws Rejection {
        ResourceType type = resource.type();
        String narrowed =
                namespace.isEmpty() && type.namespaced()
                        ? options.fields().required(FieldSelectors.NAMESPACE).orElse("")
                        : namespace;
        Selection selection = new Selection(narrowed, options.labels(), options.fields());
        Mirror mirror = resource.mirrorOf(selection);
        Optional<String> objection =
                support.of(mirror.scope(), type, mirror.declaredFields())
                        .objection(options.fields());
        if (objection.isPresent()) {
            throw new Rejection(StatusErrors.badRequest(objection.get()));
        }
        return new CollectionRequest(type, mirror, selection, options);
    }
}
