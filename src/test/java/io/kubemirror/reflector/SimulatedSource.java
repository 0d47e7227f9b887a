package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.FaultPlan.FaultVerb;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.ListRequest.RevisionMatch;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The responses of a simulated server: those of an API server (list-watch.md#list-combinations,
 * #paging, #watch-start), or the current faults.
 */
final class SimulatedSource implements Source {

    private final Simulation simulation;
    private final RandomGenerator random;
    private final SimulatedServer server;
    private final SelectionFilter scope;
    private final ServerBehavior behavior;
    private final SimulatedRequests simulatedRequests = new SimulatedRequests();

    /**
     * The capabilities of a server.
     *
     * @param streams whether it supports watch-lists
     * @param patience the maximum duration of a watch
     * @param offersTokens whether an expired token is answered with one for a newer state
     * @param refuses whether a watch from an expired revision is refused, not opened and failed
     * @param coalesces whether the deletion of an object that is created again at once is left out
     */
    record ServerBehavior(
            boolean streams,
            Duration patience,
            boolean offersTokens,
            boolean refuses,
            boolean coalesces) {}

    /** A token for the objects from a key on, of a state or, with revision 0, of the newest. */
    private record SimulatedToken(int timeline, long revision, String after) {

        static SimulatedToken parse(String text) {
            String[] parts = text.split(" ", 3);
            return new SimulatedToken(
                    Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2]);
        }

        String text() {
            return timeline + " " + revision + " " + after;
        }
    }

    SimulatedSource(Simulation simulation, SelectionFilter scope, ServerBehavior behavior) {
        this.simulation = simulation;
        this.random = simulation.random();
        this.server = simulation.server();
        this.scope = scope;
        this.behavior = behavior;
    }

    SimulatedRequests simulatedRequests() {
        return simulatedRequests;
    }

    /** A request is under way, and may get lost. */
    private Optional<Failure> send(FaultVerb verb) {
        simulation.pass(simulation.faultPlan().latency());
        simulatedRequests.count(simulation.now(), verb);
        if (verb == FaultVerb.LIST || verb == FaultVerb.WATCH_LIST || verb == FaultVerb.DISCOVER) {
            simulation.startOver();
        }
        return simulation.failure(verb);
    }

    /** An answer, for the transcript. */
    private record SimulatedAnswer(FaultVerb verb, Object outcome) {}

    private <T> T answer(FaultVerb verb, T answer) {
        simulation.note("answer", new SimulatedAnswer(verb, answer));
        return answer;
    }

    /** An upgrade of the server changes its version. */
    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public Result<ResourceDefinition> definition(ResourceType type) {
        return Result.of(ResourceDefinition.NONE);
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        Optional<Failure> failure = send(FaultVerb.DISCOVER);
        if (failure.isPresent()) {
            return answer(FaultVerb.DISCOVER, Result.failed(failure.get()));
        }
        return answer(
                FaultVerb.DISCOVER,
                server.present()
                        ? Result.of(new TypeLookup.Found(server.type()))
                        : Result.of(new TypeLookup.Unknown(List.of())));
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        String token = request.continueToken();
        FaultVerb verb = verb(request);
        Optional<Failure> failure = send(verb);
        Result<ListMeta> answer =
                failure.isPresent() && random.nextBoolean()
                        ? Result.failed(failure.get())
                        : list(request, token, failure.isPresent() ? halfOf(objects) : objects);
        return answer(verb, failure.isPresent() ? Result.failed(failure.get()) : answer);
    }

    private static FaultVerb verb(ListRequest request) {
        if (request.continueToken() != null) {
            return FaultVerb.PAGE;
        }
        return request.match() == RevisionMatch.EXACT ? FaultVerb.AUDIT : FaultVerb.LIST;
    }

    /** Takes some of the objects, before the answer breaks off. */
    private Consumer<KubeObject> halfOf(Consumer<KubeObject> objects) {
        int[] left = {random.nextInt(5)};
        return object -> {
            if (left[0]-- > 0) {
                objects.accept(object);
            }
        };
    }

    private Result<ListMeta> list(
            ListRequest request, @Nullable String token, Consumer<KubeObject> objects) {
        if (isGone(request.collection())) {
            return refused(404, "NotFound", null);
        }
        if (token != null) {
            return page(SimulatedToken.parse(token), request.limit(), objects);
        }
        Revision wanted = request.revision();
        return wanted == null
                ? page(replicaAt(), "", request.limit(), objects)
                : list(number(wanted), request.limit(), objects);
    }

    /** A limit turns "not older than" into "exactly" (list-watch.md#li-9). */
    private Result<ListMeta> list(long wanted, int limit, Consumer<KubeObject> objects) {
        boolean exact = limit > 0;
        long replica = exact ? server.now().revision() : replicaAt();
        if (wanted > replica) {
            return Result.failed(new Failure.Refused(FaultPlan.tooLarge()));
        }
        return exact && server.forgot(wanted)
                ? refused(410, "Expired", null)
                : page(exact ? wanted : replica, "", limit, objects);
    }

    private Result<ListMeta> page(SimulatedToken token, int limit, Consumer<KubeObject> objects) {
        if (token.timeline() != server.timelines().size()) {
            return refused(410, "Expired", null);
        }
        boolean old = server.forgot(token.revision()) || simulation.faultPlan().expiresToken();
        if (token.revision() != 0 && old) {
            SimulatedToken inconsistent = new SimulatedToken(token.timeline(), 0, token.after());
            return refused(410, "Expired", behavior.offersTokens() ? inconsistent.text() : null);
        }
        boolean newest = token.revision() == 0 || simulation.faultPlan().mixes();
        long revision = newest ? server.now().revision() : token.revision();
        return page(revision, token.after(), limit, objects);
    }

    private Result<ListMeta> page(
            long revision, String after, int limit, Consumer<KubeObject> objects) {
        List<KubeObject> rest = new ArrayList<>();
        for (KubeObject object :
                server.now().at(revision).tailMap(new ObjectKey(after), false).values()) {
            if (scope.holds().test(object)) {
                rest.add(object);
            }
        }
        boolean isLast = limit == 0 || rest.size() <= limit;
        List<KubeObject> page = isLast ? rest : rest.subList(0, limit);
        page.forEach(objects);
        Revision at = new Revision(Long.toString(revision));
        return Result.of(
                new ListMeta(
                        at,
                        isLast
                                ? null
                                : new SimulatedToken(
                                                server.timelines().size(),
                                                revision,
                                                page.getLast().key().path())
                                        .text()));
    }

    @Override
    public Result<WatchStream> watch(WatchRequest request) {
        FaultVerb verb = request.initialEvents() ? FaultVerb.WATCH_LIST : FaultVerb.WATCH;
        Optional<Failure> failure = send(verb);
        return answer(verb, failure.isPresent() ? Result.failed(failure.get()) : open(request));
    }

    private Result<WatchStream> open(WatchRequest request) {
        if (isGone(request.collection())) {
            return refused(404, "NotFound", null);
        }
        Revision wanted = request.revision();
        if (!request.initialEvents()) {
            return openAfter(request, wanted);
        }
        if (!behavior.streams()) {
            return refused(422, "Invalid", null);
        }
        long revision = replicaAt();
        return wanted != null && number(wanted) > revision
                ? Result.failed(new Failure.Refused(FaultPlan.tooLarge()))
                : opened(request, revision);
    }

    /** A watch from the future may be accepted, and is silent until then (list-watch.md#wa-10). */
    private Result<WatchStream> openAfter(WatchRequest request, @Nullable Revision wanted) {
        if (wanted == null) {
            throw new AssertionError("a watch without a revision brings initial events (UP-46)");
        }
        if (number(wanted) > server.now().revision() && random.nextBoolean()) {
            return Result.failed(new Failure.Refused(FaultPlan.tooLarge()));
        }
        if (number(wanted) < simulation.told()) {
            throw new AssertionError(
                    "Bookmarkable: a watch after %s, though all up to %d was told"
                            .formatted(wanted, simulation.told()));
        }
        boolean expired = server.forgot(number(wanted));
        return expired && behavior.refuses()
                ? refused(410, "Expired", null)
                : opened(request, number(wanted));
    }

    private Result<WatchStream> opened(WatchRequest request, long revision) {
        SimulatedWatch watch = new SimulatedWatch(simulation, scope, request, revision, behavior);
        simulation.opened(watch);
        simulation.faultPlan().disturbance().ifPresent(watch::disturb);
        return Result.of(watch);
    }

    private boolean isGone(ResourceCollection collection) {
        return !server.present() || !collection.type().equals(server.type());
    }

    /** The revision of the replica that answers. */
    private long replicaAt() {
        long newest = server.now().revision();
        long replica = newest - simulation.faultPlan().lag();
        return server.forgot(replica) ? newest : replica;
    }

    private static long number(Revision revision) {
        return Long.parseLong(revision.digits());
    }

    private static <T> Result<T> refused(int code, String reason, @Nullable String token) {
        return Result.failed(
                new Failure.Refused(new Status(code, reason, "simulated", null, token)));
    }
}
