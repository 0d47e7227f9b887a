package io.kubemirror.reflector;

import io.kubemirror.kube.AccessOutcome;
import io.kubemirror.kube.ColumnsOutcome;
import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ForwardOutcome;
import io.kubemirror.kube.ForwardRequest;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.kube.RevisionMatch;
import io.kubemirror.kube.VersionOutcome;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.Weather.Verb;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The answers of a simulated server: as the API server gives them (spec 4.3, 4.4 and 5.1), or as
 * the weather lets them through.
 */
final class SimulatedKubeApi implements KubeApi {

    private final World world;
    private final RandomGenerator random;
    private final SimulatedServer server;
    private final Filter scope;
    private final Habits habits;
    private final Traffic traffic = new Traffic();

    /**
     * How servers differ from each other.
     *
     * @param streams whether it knows watch-lists
     * @param patience how long it lets a watch live at most
     * @param offersTokens whether an expired token is answered with one to go on with
     * @param refuses whether a watch from a forgotten revision is refused, not opened and failed
     * @param coalesces whether the deletion of an object that came again at once is left out
     */
    record Habits(
            boolean streams,
            Duration patience,
            boolean offersTokens,
            boolean refuses,
            boolean coalesces) {}

    /** A token for the objects from a key on, of a state or, with revision 0, of the newest. */
    private record Token(int timeline, long revision, String after) {

        static Token parse(String text) {
            String[] parts = text.split(" ", 3);
            return new Token(Integer.parseInt(parts[0]), Long.parseLong(parts[1]), parts[2]);
        }

        String text() {
            return timeline + " " + revision + " " + after;
        }
    }

    SimulatedKubeApi(World world, Filter scope, Habits habits) {
        this.world = world;
        this.random = world.random();
        this.server = world.server();
        this.scope = scope;
        this.habits = habits;
    }

    Traffic traffic() {
        return traffic;
    }

    /** A request is under way, and may get lost. */
    private Optional<Failure> send(Verb verb) {
        world.pass(world.weather().latency());
        traffic.count(world.now(), verb);
        if (verb == Verb.LIST || verb == Verb.WATCH_LIST || verb == Verb.DISCOVER) {
            world.startOver();
        }
        return world.failure(verb);
    }

    /** An answer, for the chronicle. */
    private record Answer(Verb verb, Object outcome) {}

    private <T> T answer(Verb verb, T answer) {
        world.note("answer", new Answer(verb, answer));
        return answer;
    }

    /** An upgrade of the server is told by its version. */
    @Override
    public VersionOutcome version() {
        return new VersionOutcome.Known(server.type().version(), "{}");
    }

    @Override
    public ForwardOutcome forward(ForwardRequest request) {
        throw new AssertionError("a reflector forwards nothing");
    }

    @Override
    public AccessOutcome access(Permission permission) {
        return new AccessOutcome.Decided(true, "");
    }

    @Override
    public ColumnsOutcome columns(ResourceType type) {
        return new ColumnsOutcome.Declared(List.of());
    }

    @Override
    public DiscoveryOutcome resolve(ResourceName name) {
        Optional<Failure> failure = send(Verb.DISCOVER);
        if (failure.isPresent()) {
            return answer(Verb.DISCOVER, failure.get());
        }
        return answer(
                Verb.DISCOVER,
                server.present()
                        ? new DiscoveryOutcome.Found(server.type())
                        : new DiscoveryOutcome.Unknown(List.of()));
    }

    @Override
    public ListOutcome list(ListRequest request, Consumer<KubeObject> objects) {
        String token = request.continueToken();
        Verb verb = verb(request);
        Optional<Failure> failure = send(verb);
        ListOutcome answer =
                failure.isPresent() && random.nextBoolean()
                        ? failure.get()
                        : list(request, token, failure.isPresent() ? halfOf(objects) : objects);
        return answer(verb, failure.isPresent() ? failure.get() : answer);
    }

    private static Verb verb(ListRequest request) {
        if (request.continueToken() != null) {
            return Verb.PAGE;
        }
        return request.match() == RevisionMatch.EXACT ? Verb.AUDIT : Verb.LIST;
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

    private ListOutcome list(
            ListRequest request, @Nullable String token, Consumer<KubeObject> objects) {
        if (isGone(request.collection())) {
            return refused(404, "NotFound", null);
        }
        if (token != null) {
            return page(Token.parse(token), request.limit(), objects);
        }
        Revision wanted = request.revision();
        return wanted == null
                ? page(replicaAt(), "", request.limit(), objects)
                : list(number(wanted), request.limit(), objects);
    }

    /** A limit turns "not older than" into "exactly" (LI-11). */
    private ListOutcome list(long wanted, int limit, Consumer<KubeObject> objects) {
        boolean exact = limit > 0;
        long replica = exact ? server.now().revision() : replicaAt();
        if (wanted > replica) {
            return new Failure.Refused(Weather.tooLarge());
        }
        return exact && server.forgot(wanted)
                ? refused(410, "Expired", null)
                : page(exact ? wanted : replica, "", limit, objects);
    }

    private ListOutcome page(Token token, int limit, Consumer<KubeObject> objects) {
        if (token.timeline() != server.timelines().size()) {
            return refused(410, "Expired", null);
        }
        boolean old = server.forgot(token.revision()) || world.weather().expiresToken();
        if (token.revision() != 0 && old) {
            Token inconsistent = new Token(token.timeline(), 0, token.after());
            return refused(410, "Expired", habits.offersTokens() ? inconsistent.text() : null);
        }
        boolean newest = token.revision() == 0 || world.weather().mixes();
        long revision = newest ? server.now().revision() : token.revision();
        return page(revision, token.after(), limit, objects);
    }

    private ListOutcome page(long revision, String after, int limit, Consumer<KubeObject> objects) {
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
        return new ListOutcome.Page(
                at,
                isLast
                        ? null
                        : new Token(
                                        server.timelines().size(),
                                        revision,
                                        page.getLast().key().path())
                                .text());
    }

    @Override
    public WatchOutcome watch(WatchRequest request) {
        Verb verb = request.initialEvents() ? Verb.WATCH_LIST : Verb.WATCH;
        Optional<Failure> failure = send(verb);
        return answer(verb, failure.isPresent() ? failure.get() : open(request));
    }

    private WatchOutcome open(WatchRequest request) {
        if (isGone(request.collection())) {
            return refused(404, "NotFound", null);
        }
        Revision wanted = request.revision();
        if (!request.initialEvents()) {
            return openAfter(request, wanted);
        }
        if (!habits.streams()) {
            return refused(422, "Invalid", null);
        }
        long revision = replicaAt();
        return wanted != null && number(wanted) > revision
                ? new Failure.Refused(Weather.tooLarge())
                : opened(request, revision);
    }

    /** A watch from the future may be accepted, and is silent until then (WA-10). */
    private WatchOutcome openAfter(WatchRequest request, @Nullable Revision wanted) {
        if (wanted == null) {
            throw new AssertionError("a watch without a revision brings initial events (UP-46)");
        }
        if (number(wanted) > server.now().revision() && random.nextBoolean()) {
            return new Failure.Refused(Weather.tooLarge());
        }
        if (number(wanted) < world.told()) {
            throw new AssertionError(
                    "Bookmarkable: a watch after %s, though all up to %d was told"
                            .formatted(wanted, world.told()));
        }
        boolean expired = server.forgot(number(wanted));
        return expired && habits.refuses()
                ? refused(410, "Expired", null)
                : opened(request, number(wanted));
    }

    private WatchOutcome opened(WatchRequest request, long revision) {
        SimulatedWatch watch = new SimulatedWatch(world, scope, request, revision, habits);
        world.opened(watch);
        world.weather().disturbance().ifPresent(watch::disturb);
        return new WatchOutcome.Opened(watch);
    }

    private boolean isGone(ResourceCollection collection) {
        return !server.present() || !collection.type().equals(server.type());
    }

    /** How far the replica has come that answers. */
    private long replicaAt() {
        long newest = server.now().revision();
        long replica = newest - world.weather().lag();
        return server.forgot(replica) ? newest : replica;
    }

    private static long number(Revision revision) {
        return Long.parseLong(revision.digits());
    }

    private static Failure refused(int code, String reason, @Nullable String token) {
        return new Failure.Refused(new Status(code, reason, "simulated", null, token));
    }
}
