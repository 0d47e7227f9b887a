package io.kubemirror.source;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.ReviewApi.AccessReview;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The operations of the API server that kubemirror needs.
 *
 * <p>Calls block the calling thread, which should be a virtual thread, and end early with {@link
 * Failure.Unreachable} when the thread is interrupted. Failures are results, not exceptions. All
 * methods may be called from any number of threads.
 */
public interface Source {

    /**
     * The version of the server.
     *
     * @param gitVersion the version, such as {@code v1.36.4+k3s1}; it changes with every upgrade
     * @param json the unmodified document of {@code /version}
     */
    record ServerVersion(String gitVersion, String json) {}

    /** The result of looking up a resource in discovery. */
    sealed interface TypeLookup {

        /**
         * The server serves the resource.
         *
         * @param type the type, in the preferred version or the version that the name specifies
         * @param watchable whether the server allows watches of the resource
         */
        record Found(ResourceType type, boolean watchable) implements TypeLookup {

            /** Creates the result for a type that can be watched. */
            public Found(ResourceType type) {
                this(type, true);
            }
        }

        /**
         * The server does not serve the resource.
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

    /** Returns the name of the properties that lead to the server, for operators. */
    default String settings() {
        return "kubemirror.upstream";
    }

    /**
     * Returns what tells the server from others without a request, and is the same after a restart:
     * its address, and the authorities that it is trusted by. Contains no secret.
     */
    default String identity() {
        return settings();
    }

    /**
     * Returns an API for the same server that counts received bytes.
     *
     * @param received receives the number of bytes of lists and watches that have arrived from the
     *     network, as they arrive and on any thread; never called by an implementation without a
     *     network
     */
    default Source counting(LongConsumer received) {
        return this;
    }

    /**
     * Returns whether the server accepts connections, as far as can be determined without sending
     * data. A connection that is closed immediately counts as not accepted; load balancers without
     * a backend behave that way. Returns within seconds.
     *
     * @return false also if the answer cannot be determined, such as behind an HTTP proxy
     */
    default boolean acceptsConnections() {
        return false;
    }

    /**
     * Returns an API for the same server that reports warnings.
     *
     * @param warnings receives the {@code Warning} header fields of each accepted list and watch,
     *     an empty list if there are none, before any object of the response; called on the calling
     *     thread
     */
    default Source warning(Consumer<List<String>> warnings) {
        return this;
    }

    /**
     * Requests the numbers of open watches from the metrics of the server: those of all its
     * clients, not only of this process. One of several servers counts only those that it serves.
     *
     * @param types the types to count watches of
     */
    default Result<Map<ResourceType, Long>> watches(Set<ResourceType> types) {
        return Result.failed(new Failure.Malformed("the server does not count watches"));
    }

    /** Requests the version of the server. */
    Result<ServerVersion> version();

    /**
     * Returns whether the discovery of the API server names the types that this source resolves. If
     * not, only the configuration does.
     */
    default boolean isDiscovered(ResourceType type) {
        return true;
    }

    /** Looks up the type for a name in discovery. */
    Result<TypeLookup> resolve(ResourceName name);

    /**
     * Requests all types that the server lists, in the order in which names resolve to them; of a
     * group the preferred version first.
     */
    default Result<List<TypeLookup.Found>> types() {
        return Result.failed(new Failure.Malformed("the server has no discovery"));
    }

    /** Determines whether the credentials of this process have a permission. */
    Result<AccessReview> access(Permission permission);

    /**
     * Requests the columns and selectable fields that the definition of a custom resource declares.
     */
    Result<ResourceDefinition> columns(ResourceType type);

    /**
     * Lists a page of a collection. Objects are passed to the consumer one by one while the page
     * arrives. If the request fails, the caller must discard them.
     *
     * @param request the list request
     * @param objects receives each object, on the calling thread
     */
    Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects);

    /** Opens a watch. Returns when the server has accepted or rejected it. */
    Result<WatchConnection> watch(WatchRequest request);

    /**
     * Forwards a get or a list, with the credentials of this process. The response is passed on as
     * it arrives, errors included, except for redirects and rejected credentials.
     */
    Result<ForwardResponse> forward(ForwardRequest request);

    /**
     * The response of the server to a forwarded request, possibly an error.
     *
     * @param code the HTTP status code
     * @param contentType the content type, empty if there is none
     * @param headers further headers for the client: retry advice, warnings, and the encoding of
     *     the body
     * @param body the body, encoded as the server has sent it; the reader closes it
     */
    record ForwardResponse(
            int code, String contentType, Map<String, String> headers, InputStream body)
            implements AutoCloseable {

        /** Copies the headers. */
        public ForwardResponse {
            headers = Map.copyOf(headers);
        }

        @Override
        public void close() throws IOException {
            body.close();
        }
    }
}
