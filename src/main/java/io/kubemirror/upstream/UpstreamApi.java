package io.kubemirror.upstream;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The API server, as far as kubemirror needs it.
 *
 * <p>Calls block the calling thread, which is meant to be a virtual one, and end early with {@link
 * Failure.Unreachable} when it is interrupted. What can go wrong is a result, not an exception. All
 * methods may be called from any number of threads.
 */
public interface UpstreamApi {

    /**
     * The same server, for one who wants to know how much it sends.
     *
     * @param received told how many bytes of lists and watches have come from the network, as they
     *     come and on any thread; a server without a network tells nothing
     */
    default UpstreamApi counting(LongConsumer received) {
        return this;
    }

    /**
     * Whether the server accepts connections, as far as one can tell without sending it anything:
     * one that is closed again at once, as load balancers do that have no server, counts as not
     * accepted. Returns within seconds.
     *
     * @return false also if that cannot be found out, such as behind an HTTP proxy
     */
    default boolean acceptsConnections() {
        return false;
    }

    /**
     * The same server, for one who wants to know what it warns of.
     *
     * @param warnings told the {@code Warning} header fields of each list and watch that the server
     *     has accepted, none if it has none, before any object of it; on the calling thread
     */
    default UpstreamApi warning(Consumer<List<String>> warnings) {
        return this;
    }

    /** Asks which version the server has. */
    VersionOutcome version();

    /** Asks discovery which type a name means. */
    DiscoveryOutcome resolve(ResourceName name);

    /** Asks whether this process's own credentials have a permission. */
    AccessOutcome access(Permission permission);

    /** Asks which columns and selectable fields the definition of a custom resource declares. */
    ColumnsOutcome columns(ResourceType type);

    /**
     * Lists a page of a collection. Its objects are handed over one by one while the page arrives;
     * if the outcome is a failure, those handed over before it are worth nothing.
     *
     * @param request what to list
     * @param objects takes each object, on the calling thread
     */
    ListOutcome list(ListRequest request, Consumer<KubeObject> objects);

    /** Opens a watch. Returns when the server has accepted or refused it. */
    WatchOutcome watch(WatchRequest request);

    /**
     * Hands on a get or a list, with this process's own credentials. The answer is passed on as it
     * comes, errors included, but for redirects and a refusal of the credentials.
     */
    ForwardOutcome forward(ForwardRequest request);
}
