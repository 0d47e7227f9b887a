package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.ListArrangement;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes.Presence;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.GoString;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

/**
 * Decides who answers gets, lists, and watches of mirrored resources, and finds the state that is
 * read (list-watch.md#freshness, #gets, #list-combinations, #paging).
 *
 * <p>The mirrors are those that were found before the credentials of the client were checked. One
 * on demand that has ended since does not advance any more, so its client tries again.
 */
public final class ReadPlanner {

    private final MirrorDirectory directory;
    private final OnDemandTypes onDemand;
    private final DocumentEncoder encoder;
    private final StalenessPolicy staleness;
    private final Floors floors;
    private final Forwarder forwarder;

    /**
     * What a read waits for, and how long: all waits together take no longer than one.
     *
     * @param min a revision that a present state must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @param deadline when the last wait ends, as {@link Floors#deadline} returns it
     */
    private record ReadTime(Revision min, Duration allotted, long deadline) {}

    /**
     * Creates a planner.
     *
     * @param encoder knows what mirrors can render
     * @param floors what clients have seen of each mirror
     * @param forwarder knows what the API server may answer
     */
    public ReadPlanner(
            MirrorDirectory directory,
            OnDemandTypes onDemand,
            DocumentEncoder encoder,
            StalenessPolicy staleness,
            Floors floors,
            Forwarder forwarder) {
        this.directory = directory;
        this.onDemand = onDemand;
        this.encoder = encoder;
        this.staleness = staleness;
        this.floors = floors;
        this.forwarder = forwarder;
    }

    /**
     * Decides about a read.
     *
     * @param mirrors the mirrors of the resource in the path
     * @throws Rejection if the request is refused
     * @throws InterruptedException if the thread is interrupted while it waits for a mirror
     */
    public Plan plan(RequestPath.OfResource path, List<Mirror> mirrors, Exchange exchange)
            throws Rejection, InterruptedException {
        requireStarted(path.resource(), exchange);
        MirroredResource resource =
                directory.find(
                        mirrors,
                        path.resource(),
                        !path.namespace().isEmpty(),
                        path instanceof RequestPath.Item);
        exchange.requireGet();
        Plan.FromServer passed = forwarder.passed().orElse(null);
        // What mirrors cannot render is passed on (list-watch.md#ne-6, #ne-20).
        if (passed != null && !encoder.isRendered(resource.type(), exchange)) {
            return passed;
        }
        try {
            return path.isWatch(exchange.query())
                    ? watch(path, resource, exchange)
                    : switch (path) {
                        case RequestPath.Item item -> get(item, resource, exchange);
                        case RequestPath.Collection all -> list(all, resource, exchange);
                    };
        } catch (Rejection rejection) {
            if (passed == null || !rejection.isBeyondMirror()) {
                throw rejection;
            }
            return passed;
        }
    }

    /** Nothing waits for a mirror that starts (list-watch.md#od-2). */
    private void requireStarted(RequestPath.Resource resource, Exchange exchange) throws Rejection {
        if (onDemand.use(resource) == Presence.PENDING) {
            exchange.requireGet();
            onDemand.demand(resource);
            throw new Rejection(
                    StatusErrors.initializing("the mirror of " + resource.plural() + " starts", 1));
        }
    }

    private Plan watch(RequestPath.OfResource path, MirroredResource resource, Exchange exchange)
            throws Rejection {
        ResponseForm chosen = chooseEvents(resource.type(), exchange);
        ListOptions options = watchOptions(chosen.form().framing(), exchange);
        if (path instanceof RequestPath.Item item) {
            options = options.named(item.name());
        }
        // A deprecated path follows the rules of lists, and an absent revision means any revision
        // (list-watch.md#pa-9).
        boolean deprecated = path.deprecatedWatch() && !exchange.query().isOn("watch");
        if (deprecated) {
            options.checkList();
        } else {
            options = options.withWatchDefaults();
            options.checkWatch();
        }
        CollectionRequest wanted = resource.select(path.namespace(), options, exchange.query());
        staleness.admit(wanted.mirror(), !deprecated && wanted.isForNewest(), exchange);
        return watch(wanted, chosen, exchange);
    }

    private ResponseForm chooseEvents(ResourceType type, Exchange exchange) throws Rejection {
        ResponseForm chosen = encoder.choose(type, exchange);
        ListArrangement.refuse(exchange.query(), "a watch has the order of its events");
        return chosen;
    }

    private Plan.SelectedWatch watch(
            CollectionRequest wanted, ResponseForm chosen, Exchange exchange) throws Rejection {
        return new Plan.SelectedWatch(
                wanted,
                encoder.frames(encoder.present(chosen, wanted.mirror(), exchange)),
                RequestCredentials.of(exchange.request()),
                UnaryOperator.identity());
    }

    /**
     * Returns the options. A browser that reconnects overrides their revision (list-watch.md#se-5,
     * #se-6).
     */
    private static ListOptions watchOptions(WatchFraming framing, Exchange exchange)
            throws Rejection {
        boolean sent = framing == WatchFraming.SERVER_SENT_EVENTS;
        ListOptions options = ListOptions.decode(exchange.query(), sent);
        String last = exchange.request().getHeader("Last-Event-ID");
        return sent && last != null && !last.isEmpty() ? options.resumedAfter(last) : options;
    }

    /**
     * Plans one of several watches, whose headers describe none of them.
     *
     * @param named the resource, in any version if it names none
     * @param options the options of a watch, with the revision to continue after if there is one
     * @throws Rejection if the resource cannot be watched
     */
    public Plan.SelectedWatch watch(
            RequestPath.Resource named, ListOptions options, Exchange exchange) throws Rejection {
        RequestPath.Resource resource = directory.anyVersion(named).orElse(named);
        requireStarted(resource, exchange);
        String namespace = exchange.query().text("namespace");
        MirroredResource found = directory.find(resource, false, false);
        if (!namespace.isEmpty() && !found.type().namespaced()) {
            throw Rejection.badRequest(
                    found.name() + " is cluster-scoped; watch it in a stream without namespace");
        }
        ResponseForm chosen = chooseEvents(found.type(), exchange);
        ListOptions watch = options.withWatchDefaults();
        watch.checkWatch();
        CollectionRequest wanted = found.select(namespace, watch, exchange.query());
        staleness.check(wanted.mirror(), wanted.isForNewest(), exchange);
        return watch(wanted, chosen, exchange);
    }

    private Plan get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, InterruptedException {
        ListArrangement.refuse(exchange.query(), "the response is one object");
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        check(item, exchange.query());
        ReadTime time = begin(exchange);
        String revision = exchange.query().text("resourceVersion");
        boolean behind = isBehind(resource, item.namespace(), time);
        Mirror mirror = resource.mirrorOf(item);
        boolean newest = revision.isEmpty();
        Optional<Snapshot> state =
                !behind && begins(mirror, newest, time, exchange)
                        ? present(mirror, revision, time)
                        : Optional.empty();
        if (state.isEmpty()) {
            return late(mirror, resource.type(), item.namespace(), item.name(), false);
        }
        staleness.admit(mirror, newest, exchange);
        ResponseForm shown = encoder.present(chosen, mirror, exchange);
        KubeObject object =
                state.get().get(ObjectKey.of(item.namespace(), item.name())).orElse(null);
        if (object == null) {
            throw new Rejection(StatusErrors.notFound(resource.type(), item.name()));
        }
        return new Plan.Get(object, state.get().revision(), shown);
    }

    /**
     * Begins to read a mirror, unless it has to be verified and is not in time. The mirror is
     * admitted before the wait for a state, so that a client learns at once that it is too old, and
     * has to be admitted again after the wait.
     *
     * @param newest whether the client requires the most recent state
     */
    private boolean begins(Mirror mirror, boolean newest, ReadTime time, Exchange exchange)
            throws Rejection, InterruptedException {
        boolean late =
                StalenessPolicy.isVerified(mirror, newest)
                        && !floors.isVerified(mirror, time.allotted());
        if (!late) {
            staleness.admit(mirror, newest, exchange);
        }
        return !late;
    }

    private static void check(RequestPath.Item item, Query query) throws Rejection {
        if (query.isOn("export")) {
            // No longer supported by the API server (list-watch.md#de-6).
            throw Rejection.badRequest(
                    "the export parameter, deprecated since v1.14, is no longer supported");
        }
        // Names that are not valid path segments (list-watch.md#pa-19).
        String name = item.name();
        boolean dots = name.equals(".") || name.equals("..");
        if (dots || name.indexOf('%') >= 0) {
            throw Rejection.badRequest(
                    "Name parameter invalid: "
                            + GoString.quote(name)
                            + (dots ? ": may not be '" + name + "'" : ": may not contain '%'"));
        }
    }

    /**
     * Returns whether a mirror does not show in time what clients have seen, if several mirrors
     * show parts of a resource: an object may have moved there from another one.
     *
     * @param namespace the namespace of the object
     */
    private boolean isBehind(MirroredResource resource, String namespace, ReadTime time)
            throws Rejection, InterruptedException {
        if (resource.mirrors().size() == 1) {
            return false;
        }
        for (Mirror mirror : resource.mirrors()) {
            if (mirror.scope().includes(namespace)
                    && mirror.reads().mode() == ReadMode.CACHE
                    && mirror.snapshot().isPresent()
                    && present(mirror, "", time).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private Plan list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, InterruptedException {
        ResponseForm chosen = encoder.choose(resource.type(), exchange);
        ListOptions options = ListOptions.decode(exchange.query(), false);
        options.checkList();
        CollectionRequest wanted = resource.select(path.namespace(), options, exchange.query());
        Mirror mirror = wanted.mirror();
        ResponseForm shown = encoder.present(chosen, mirror, exchange);
        ReadTime time = begin(exchange);
        long history = DocumentEncoder.history(mirror);
        ContinueToken token =
                options.token().isEmpty() ? null : ContinueToken.decode(options.token());
        boolean newest = wanted.isForNewest();
        Optional<Snapshot> state =
                !isOfServer(wanted, token) && begins(mirror, newest, time, exchange)
                        ? state(wanted, token, time)
                        : Optional.empty();
        if (state.isEmpty()) {
            return late(wanted);
        }
        staleness.admit(mirror, newest, exchange);
        ListPage page = wanted.page(state.get(), token, isLimited(wanted, token));
        return new Plan.Page(wanted, shown, history, state.get(), page);
    }

    /**
     * With revision 0 the limit is ignored: a page holds all remaining objects, as the list without
     * a token would hold all objects (list-watch.md#li-3, #li-13).
     */
    private static boolean isLimited(CollectionRequest wanted, @Nullable ContinueToken token)
            throws Rejection {
        String text = wanted.options().revision();
        boolean any =
                token == null
                        ? !text.isEmpty()
                                && ListOptions.revision(text, wanted.mirror().revision()).isZero()
                        : !text.isEmpty();
        return wanted.options().isLimited() && !any;
    }

    private Plan late(CollectionRequest wanted) throws Rejection {
        if (wanted.isForMirrorOnly()) {
            throw new Rejection(Reply.OVERDUE);
        }
        return late(
                wanted.mirror(),
                wanted.type(),
                wanted.selection().namespace(),
                "",
                wanted.isExact());
    }

    /** The API server would show what a mirror leaves out of objects (list-watch.md#ca-4c). */
    private Plan late(
            Mirror mirror, ResourceType type, String namespace, String name, boolean exact)
            throws Rejection {
        if (!mirror.reads().whole()) {
            throw new Rejection(Reply.OVERDUE);
        }
        return forwarder.late(mirror, type, namespace, name, exact);
    }

    /** Returns whether the API server began a list that mirrors are verified for. */
    private static boolean isOfServer(CollectionRequest wanted, @Nullable ContinueToken token) {
        Mirror mirror = wanted.mirror();
        if (token == null || mirror.reads().mode() == ReadMode.CACHE) {
            return false;
        }
        Revision shown = token.revision();
        boolean here = shown != null && mirror.snapshot(shown).isPresent();
        return wanted.options().isOpen() && !here && !wanted.isForMirrorOnly();
    }

    /**
     * Begins the wait of a read now.
     *
     * @throws Rejection if the request names what is not a revision
     */
    private ReadTime begin(Exchange exchange) throws Rejection {
        Duration allotted = exchange.allotted();
        return new ReadTime(exchange.minRevision(), allotted, floors.deadline(allotted));
    }

    /**
     * Returns the state for a page of a list.
     *
     * @param token where the page begins, null at the beginning
     * @return empty if no state shows all that clients have seen in time
     * @throws Rejection if the requested state is not available
     * @throws InterruptedException if the thread is interrupted while it waits for the state
     */
    private Optional<Snapshot> state(
            CollectionRequest wanted, @Nullable ContinueToken token, ReadTime time)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        Mirror mirror = wanted.mirror();
        if (token != null) {
            token.position(wanted.order());
            if (!options.isOpen()) {
                throw Rejection.badRequest(
                        "specifying resource version is not allowed when using continue");
            }
            Revision shown = token.revision();
            return shown == null
                    ? present(mirror, "", time)
                    : exact(mirror, shown, expired(token), time);
        }
        String text = options.revision();
        // At the revision, or not older (list-watch.md#li-7 to #li-9).
        Revision revision = ListOptions.revision(text, mirror.revision());
        return !text.isEmpty() && wanted.isExact() && !revision.isZero()
                ? exact(mirror, revision, StatusErrors.expiredList(), time)
                : present(mirror, text, time);
    }

    private static Status expired(ContinueToken token) {
        // A position in an order means nothing in another state (list-watch.md#or-5).
        return token.order().isEmpty()
                ? StatusErrors.expiredContinue(token.inconsistent().encode())
                : StatusErrors.expiredList();
    }

    private Optional<Snapshot> exact(
            Mirror mirror, Revision revision, Status expired, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        await(mirror, revision, time);
        return Optional.of(mirror.snapshot(revision).orElseThrow(() -> new Rejection(expired)));
    }

    /**
     * Returns a present state that is not before a revision and shows all that clients have seen;
     * empty if there is none in time (list-watch.md#fr-4, #ry-1). A mirror without content is not
     * waited for.
     *
     * @param text the revision that the request names, empty for none
     * @throws Rejection if the mirror has no content, or does not reach the revision in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    private Optional<Snapshot> present(Mirror mirror, String text, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        Revision revision = ListOptions.revision(text, mirror.revision());
        if (revision.isAfter(Revision.later(time.min(), floors.of(mirror)))) {
            // Nobody is known to have seen it, and it may not exist.
            await(mirror, revision, time);
        }
        return floors.await(mirror, time.min(), time.deadline()).map(Mirror.Position::snapshot);
    }

    private void await(Mirror mirror, Revision revision, ReadTime time)
            throws Rejection, InterruptedException {
        if (!floors.isReached(mirror, revision, time.deadline())) {
            throw floors.isHurried(time.allotted())
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
    }

    /** Lets the API server answer reads. Safe for use by any thread. */
    public interface Forwarder {

        /** Only mirrors answer. */
        Forwarder NONE = new Forwarder() {};

        /**
         * Returns the plan of a read that mirrors do not cover or cannot render, empty if it may
         * not be passed on.
         */
        default Optional<Plan.FromServer> passed() {
            return Optional.empty();
        }

        /**
         * Returns the plan of a read that its mirror cannot answer in time.
         *
         * @param namespace the namespace of the list or object, empty for all or none
         * @param name the name of the object, empty for a list
         * @param exact whether the client wants the state at one revision
         * @throws Rejection if the API server cannot answer it
         */
        default Plan.FromServer late(
                Mirror mirror, ResourceType type, String namespace, String name, boolean exact)
                throws Rejection {
            throw new Rejection(Reply.OVERDUE);
        }
    }

    /**
     * The types whose mirrors start with the first request for them (list-watch.md#on-demand). No
     * method blocks.
     *
     * <p>Safe for use by any thread.
     */
    public interface OnDemandTypes {

        /** No type is mirrored on demand. */
        OnDemandTypes NONE = new OnDemandTypes() {};

        /** What there is of a resource. */
        enum Presence {
            /** It is not on demand, or cannot be mirrored. */
            OTHER,
            /** It has no mirrors yet, or they are not complete. */
            PENDING,
            /** Its mirrors are complete. */
            READY
        }

        /** Records a request for a resource, and returns what there is of it. */
        default Presence use(RequestPath.Resource resource) {
            return Presence.OTHER;
        }

        /** Starts the mirrors of a resource, unless it has some or is not on demand. */
        default void demand(RequestPath.Resource resource) {}
    }
}
