package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.SelectableField;

import org.jspecify.annotations.Nullable;

/**
 * A source of objects, such as an API server: its types, their lists, and their watches.
 *
 * <p>Calls block the calling thread, which should be a virtual thread, and end early with {@link
 * Failure.Unreachable} when the thread is interrupted. Failures are results, not exceptions. All
 * methods may be called from any number of threads.
 */
public interface Source {

    /**
     * What identifies a source, without any secret.
     *
     * @param text the address, and how it is accessed, for logs and operators
     * @param identity what distinguishes its objects from those of other sources, the same after a
     *     restart
     * @param property the configuration property that leads to it
     */
    record SourceDescription(String text, String identity, String property) {}

    /** The result of looking up a resource. */
    sealed interface TypeLookup {

        /**
         * The source has the resource.
         *
         * @param type the type, in the preferred version or the version that the name specifies
         * @param watchable whether the source allows watches of the resource
         */
        record Found(ResourceType type, boolean watchable) implements TypeLookup {

            /** Creates the result for a type that can be watched. */
            public Found(ResourceType type) {
                this(type, true);
            }
        }

        /**
         * The source does not have the resource.
         *
         * @param similar similar names, possibly none
         */
        record Unknown(List<String> similar) implements TypeLookup {

            /** Copies the names. */
            public Unknown {
                similar = List.copyOf(similar);
            }
        }
    }

    /** Returns the description. No request is sent. */
    SourceDescription description();

    /**
     * Returns whether a configured resource is read here, although it may not exist yet. Sources
     * are asked in order, and the first one that holds a resource is its only one. No request is
     * sent.
     */
    default boolean holds(ResourceName name) {
        return true;
    }

    /**
     * Returns what not every source offers, such as a review of permissions; empty if this one does
     * not.
     */
    default <T> Optional<T> as(Class<T> port) {
        return Optional.of(this).filter(port::isInstance).map(port::cast);
    }

    /** Returns whether a type of this source is among its {@link #types}. */
    default boolean isDiscovered(ResourceType type) {
        return true;
    }

    /**
     * Returns whether the source accepts connections, as far as can be determined without sending
     * data. A connection that is closed immediately counts as not accepted; load balancers without
     * a backend behave that way. Returns within seconds.
     *
     * @return false also if the answer cannot be determined, such as behind an HTTP proxy
     */
    default boolean acceptsConnections() {
        return false;
    }

    /** Looks up the type for a name, in the types of the source unless there is a better way. */
    default Result<TypeLookup> resolve(ResourceName name) {
        return switch (types()) {
            case Result.Success(var all) ->
                    Result.of(
                            name.resolve(all, TypeLookup.Found::type)
                                    .<TypeLookup>map(found -> found)
                                    .orElse(new TypeLookup.Unknown(List.of())));
            case Result.Failed(var failure) -> Result.failed(failure);
        };
    }

    /**
     * Returns what decides how the objects of a collection look at one revision: the version of the
     * server, and the generation of the definition of a custom resource (list-watch.md#up-48).
     * Empty if nothing does.
     */
    default Result<String> schema(ResourceCollection collection) {
        return Result.of("");
    }

    /**
     * Requests the columns and selectable fields that the definition of a custom resource declares,
     * none if the source has no definitions.
     */
    default Result<ResourceDefinition> definition(ResourceType type) {
        return Result.of(ResourceDefinition.NONE);
    }

    /**
     * Requests all types of the source, in the order in which names resolve to them; of a group the
     * preferred version first.
     */
    default Result<List<TypeLookup.Found>> types() {
        return Result.failed(new Failure.Malformed("the source does not list its types"));
    }

    /**
     * Lists a page of a collection. Objects are passed to the consumer one by one while the page
     * arrives. If the request fails, the caller must discard them.
     *
     * @param request the list request
     * @param objects receives each object, on the calling thread
     */
    Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects);

    /** Opens a watch. Returns when the source has accepted or rejected it. */
    Result<WatchStream> watch(WatchRequest request);

    /**
     * The metadata of a page of a list, whose objects have been passed to a consumer.
     *
     * @param revision the revision of the page
     * @param continueToken the token for the next page, or null after the last
     * @param kind the kind of the list, empty if it follows from that of the objects
     */
    record ListMeta(Revision revision, @Nullable String continueToken, String kind) {

        /** Creates the metadata of a list whose kind follows from that of its objects. */
        public ListMeta(Revision revision, @Nullable String continueToken) {
            this(revision, continueToken, "");
        }
    }

    /**
     * A request for one page of a list.
     *
     * @param collection the collection to list
     * @param revision the requested revision, or null for the most recent (list-watch.md#up-3,
     *     #up-4); an exact match needs one
     * @param match how the revision is matched
     * @param limit the number of objects in a page, 0 for all
     * @param continueToken the token of the previous page, or null
     */
    record ListRequest(
            ResourceCollection collection,
            @Nullable Revision revision,
            RevisionMatch match,
            int limit,
            @Nullable String continueToken) {

        /** Creates a request for a state that is not older than the revision. */
        public ListRequest(
                ResourceCollection collection,
                @Nullable Revision revision,
                int limit,
                @Nullable String continueToken) {
            this(collection, revision, RevisionMatch.NOT_OLDER_THAN, limit, continueToken);
        }

        /**
         * Returns the request for the next page, in which the token replaces the revision
         * (list-watch.md#up-6).
         */
        public ListRequest next(String continueToken) {
            return new ListRequest(collection, null, limit, continueToken);
        }

        /**
         * Specifies how the revision of a list request is matched
         * (list-watch.md#list-combinations).
         */
        public enum RevisionMatch {
            /** Any state that is not older than the revision; the default of the server. */
            NOT_OLDER_THAN,
            /** The state at exactly that revision. */
            EXACT
        }
    }

    /**
     * A request for a watch.
     *
     * @param collection the collection to watch
     * @param revision the revision after which the watch starts, or null for the most recent, which
     *     requires an initial list
     * @param initialEvents whether the stream begins with the current state: a watch-list
     *     (list-watch.md#up-1)
     * @param bookmarks whether the server sends bookmarks (list-watch.md#bm-1); initial events need
     *     them
     * @param timeout how long the server may keep the stream open (list-watch.md#up-9)
     * @param silence how long no byte may arrive before the connection is considered dead
     *     (list-watch.md#up-11)
     * @param initialSilence the same limit while requested initial events are not complete
     *     (list-watch.md#up-28)
     * @param ahead whether frames are read from the network before they are requested, up to a
     *     limit, so that the server does not treat the client as slow (list-watch.md#pp-4)
     */
    record WatchRequest(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            boolean bookmarks,
            Duration timeout,
            Duration silence,
            Duration initialSilence,
            boolean ahead) {}

    /**
     * What the definition of a custom resource declares.
     *
     * @param columns the printer columns, without the name
     * @param selectable the fields that field selectors may use
     * @param listKind the kind of lists, empty if it follows from that of the objects
     */
    record ResourceDefinition(
            List<PrinterColumn> columns, List<SelectableField> selectable, String listKind) {

        /** A definition that declares nothing. */
        public static final ResourceDefinition NONE =
                new ResourceDefinition(List.of(), List.of(), "");

        /** Copies the lists. */
        public ResourceDefinition {
            columns = List.copyOf(columns);
            selectable = List.copyOf(selectable);
        }

        /**
         * A printer column of a custom resource (list-watch.md#ne-21).
         *
         * @param name the heading
         * @param type the type of the values: {@code string}, {@code integer}, {@code number},
         *     {@code boolean} or {@code date}
         * @param format further details of the type, possibly empty
         * @param description the description of the column
         * @param priority 0 for a column that is always shown, a larger number for one of {@code
         *     kubectl -o wide}
         * @param jsonPath the path of the value in the object
         */
        public record PrinterColumn(
                String name,
                String type,
                String format,
                String description,
                int priority,
                String jsonPath) {}
    }
}
