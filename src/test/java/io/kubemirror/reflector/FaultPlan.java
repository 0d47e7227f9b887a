package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.WatchFrame;

import org.jspecify.annotations.Nullable;

/** The current faults between kubemirror and a simulated server. */
final class FaultPlan {

    /** The requests of kubemirror. */
    enum FaultVerb {
        /** Which type a name means. */
        DISCOVER,
        /** The first or only page of a list. */
        LIST,
        /** A later page. */
        PAGE,
        /** The first page of a list of one exact revision. */
        AUDIT,
        /** The changes since a revision. */
        WATCH,
        /** The present state, and then the changes. */
        WATCH_LIST
    }

    private static final List<Failure> FAILURES =
            List.of(
                    new Failure.Unreachable("connection refused", Failure.Unreachable.Kind.REFUSED),
                    new Failure.Unreachable(
                            "the connection was reset", Failure.Unreachable.Kind.BROKEN),
                    new Failure.Malformed("the response is not valid JSON"),
                    refused(400, "BadRequest", "no", null),
                    refused(401, "Unauthorized", "who are you", null),
                    refused(403, "Forbidden", "not you", null),
                    refused(404, "NotFound", "no such path", null),
                    refused(405, "MethodNotAllowed", "not this way", null),
                    refused(410, "Expired", "too old", null),
                    refused(410, "Gone", "too old", null),
                    refused(422, "Invalid", "no such option", null),
                    refused(429, "TooManyRequests", "not now", null),
                    refused(429, "TooManyRequests", "in a while", Status.Details.retryAfter(7)),
                    refused(429, "TooManyRequests", "in an hour", Status.Details.retryAfter(3_600)),
                    refused(500, "InternalError", "etcd is down", null),
                    refused(503, "ServiceUnavailable", "starting", null),
                    refused(503, "ServiceUnavailable", "starting", Status.Details.retryAfter(1)),
                    new Failure.Refused(tooLarge()));

    /** How a stream is disturbed. */
    enum Disturbance {
        /** It ends as it should. */
        END,
        /** It sends a bookmark and ends normally, repeatedly. */
        BRIEF,
        /** The connection breaks. */
        CUT,
        /** Nothing arrives, and the connection stays open. */
        SILENCE,
        /** A frame that is not JSON. */
        GARBAGE,
        /** A frame that cannot be understood. */
        UNTRACKABLE,
        /** A frame of another collection. */
        FOREIGN,
        /** A repeated frame. */
        DUPLICATE,
        /** The server ends it with a failure. */
        FAILURE
    }

    private static final List<Disturbance> DISTURBANCES = List.of(Disturbance.values());
    private static final List<Integer> ODDS = List.of(5, 20, 60, 100);

    private final RandomGenerator random;
    private Set<FaultVerb> verbs = EnumSet.noneOf(FaultVerb.class);
    private Failure failure = FAILURES.getFirst();
    private int failureOdds;
    private Disturbance disturbance = Disturbance.END;
    private int disturbanceOdds;
    private int lag;
    private int mixingOdds;
    private int expiryOdds;
    private boolean slow;
    private boolean calm;

    FaultPlan(RandomGenerator random) {
        this.random = random;
    }

    private static Failure refused(
            int code, String reason, String message, Status.@Nullable Details details) {
        return new Failure.Refused(new Status(code, reason, message, details));
    }

    /** The revision that was asked for has not been reached. */
    static Status tooLarge() {
        return new Status(
                504,
                "Timeout",
                "Timeout: Too large resource version",
                new Status.Details(
                        "",
                        "",
                        "",
                        List.of(new Status.Cause("ResourceVersionTooLarge", "Too large", "")),
                        1));
    }

    /** Chooses other faults, or none. */
    void change() {
        failureOdds = 0;
        disturbanceOdds = 0;
        lag = 0;
        mixingOdds = 0;
        expiryOdds = 0;
        slow = false;
        if (calm) {
            return;
        }
        if (random.nextBoolean()) {
            failure = any(FAILURES);
            failureOdds = any(ODDS);
            verbs = someVerbs();
        }
        if (random.nextBoolean()) {
            disturbance = any(DISTURBANCES);
            disturbanceOdds = any(ODDS);
        }
        if (random.nextInt(6) == 0) {
            lag = 1 + random.nextInt(15);
        }
        if (random.nextInt(8) == 0) {
            mixingOdds = any(ODDS);
        }
        if (random.nextInt(5) == 0) {
            expiryOdds = any(ODDS);
        }
        slow = random.nextInt(4) == 0;
    }

    private Set<FaultVerb> someVerbs() {
        if (random.nextBoolean()) {
            return EnumSet.allOf(FaultVerb.class);
        }
        Set<FaultVerb> some = EnumSet.noneOf(FaultVerb.class);
        for (FaultVerb verb : FaultVerb.values()) {
            if (random.nextInt(3) == 0) {
                some.add(verb);
            }
        }
        return some;
    }

    /** Ends all faults. */
    void stopFaults() {
        calm = true;
        change();
    }

    /** Returns the failure of a request, if it fails. */
    Optional<Failure> failure(FaultVerb verb) {
        return verbs.contains(verb) && hit(failureOdds) ? Optional.of(failure) : Optional.empty();
    }

    /** Returns the disturbance of a stream, if there is one. */
    Optional<Disturbance> disturbance() {
        return hit(disturbanceOdds) ? Optional.of(disturbance) : Optional.empty();
    }

    /** Any failure that a server may end a stream with. */
    WatchFrame failedStream() {
        while (true) {
            if (any(FAILURES) instanceof Failure.Refused(Status status)) {
                return new WatchFrame.Failed(status);
            }
        }
    }

    /** How many revisions the server that answers is behind. */
    int lag() {
        return lag == 0 ? 0 : random.nextInt(lag + 1);
    }

    /** Whether a page comes from the newest state instead of from the state of the first page. */
    boolean mixes() {
        return hit(mixingOdds);
    }

    /** Whether a list takes too long for its token. */
    boolean expiresToken() {
        return hit(expiryOdds);
    }

    /** How long an answer takes. */
    Duration latency() {
        return Duration.ofMillis(1 + random.nextInt(slow ? 8_000 : 50));
    }

    private boolean hit(int odds) {
        return odds > 0 && random.nextInt(100) < odds;
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    @Override
    public String toString() {
        return "%s %d%% of %s, %s %d%%, lag %d, mixed pages %d%%, expired tokens %d%%%s"
                .formatted(
                        failureOdds > 0 ? failure.summary() : "no failure",
                        failureOdds,
                        verbs,
                        disturbance,
                        disturbanceOdds,
                        lag,
                        mixingOdds,
                        expiryOdds,
                        slow ? ", slow" : "");
    }
}
