package io.kubemirror.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Serves watches (spec 5, 10). */
final class Watches {

    private final WatchStarts starts;
    private final OpenWatches open;
    private final WatchMeters meters;
    private final Audience audience;
    private final Clockwork clockwork;
    private final Crew crew;

    /**
     * What watches know of time and chance.
     *
     * @param timing how long things take
     * @param nanos a monotonic clock in nanoseconds
     * @param alarms rings when time has passed on that clock
     * @param random draws what is spread at random; used by many threads
     */
    record Clockwork(
            Timing timing,
            LongSupplier nanos,
            ScheduledExecutorService alarms,
            RandomGenerator random) {}

    Watches(
            WatchStarts starts,
            OpenWatches open,
            WatchMeters meters,
            Audience audience,
            Clockwork clockwork,
            Crew crew) {
        this.starts = starts;
        this.open = open;
        this.meters = meters;
        this.audience = audience;
        this.clockwork = clockwork;
        this.crew = crew;
    }

    /**
     * Makes a watch stand. If it is asked for by WebSocket, the answer ends at once and with
     * nothing in it, whereupon clients ask for a stream (WS-1).
     *
     * <p>Rejected for WebSocket: the stream itself, since clients wait for its end before they see
     * that they got no WebSocket; 503, since they would ask for the same again, many times.
     *
     * @param wanted what to watch
     * @param frames the form of its events
     * @param exchange the request and where the events go
     * @return the watch, to be started; empty if the answer is complete
     * @throws Rejection if it cannot be begun
     * @throws IOException if the client is gone
     * @throws InterruptedException if the thread is interrupted before the watch has begun
     */
    Optional<ServedWatch> serve(CollectionRequest wanted, Frames frames, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Hangup.requireWholeRequest(exchange.request());
        if (exchange.asksForWebSocket()) {
            Reply.NO_WEB_SOCKET.send(exchange.response());
            return Optional.empty();
        }
        WatchStart start = starts.find(wanted);
        Place place = new Place(wanted, open.add(Pass.of(exchange.request())));
        try {
            return Optional.of(stand(wanted, start, frames, exchange, place));
        } catch (IOException | RuntimeException failed) {
            place.leave(WatchEnd.CLOSED);
            throw failed;
        }
    }

    private ServedWatch stand(
            CollectionRequest wanted,
            WatchStart start,
            Frames frames,
            Exchange exchange,
            Place place)
            throws IOException {
        Tally tally = new Tally(begin(frames.wire(), exchange), place.meter);
        exchange.note().answered(exchange.response().getStatus());
        boolean mute = !frames.areWritable() && !(start instanceof WatchStart.Failed);
        Sink sink = mute ? endingInsteadOfEvents(place.ending) : tally;
        Turns turns = new Turns(crew::execute);
        WatchLoop loop =
                new WatchLoop(
                        wanted.mirror(),
                        new WatchLoop.Terms(
                                start, wanted.selection(), frames, greeting(frames.wire())),
                        schedule(wanted, frames.wire()),
                        place.ending,
                        turns::ring);
        place.take(audience.enter(audience.party(wanted, exchange.request()), tally, loop));
        place.listenTo(exchange.request());
        Alarm alarm = new Alarm(clockwork.alarms(), clockwork.nanos(), turns::ring);
        return new ServedWatch(
                turns, loop, new ServedWatch.Client(sink, alarm, place.meter.pin()), place::leave);
    }

    /** What a watch occupies while it is there. */
    private final class Place {

        private final Ending ending;
        private final WatchMeters.Meter meter;
        private final long began = clockwork.nanos().getAsLong();
        private Optional<Audience.Seat> seat = Optional.empty();
        private Optional<Hangup> hangup = Optional.empty();

        private Place(CollectionRequest wanted, Ending ending) {
            this.ending = ending;
            this.meter = meters.of(wanted.mirror());
            meter.opened();
        }

        private void take(Audience.Seat taken) {
            seat = Optional.of(taken);
        }

        private void listenTo(HttpServletRequest request) {
            hangup = Hangup.listen(request, ending);
        }

        private void leave(WatchEnd why) {
            hangup.ifPresent(Hangup::stop);
            seat.ifPresent(audience::leave);
            meter.closed(why, Duration.ofNanos(clockwork.nanos().getAsLong() - began));
            open.remove(ending);
        }
    }

    /** Sends the headers, so that the client knows that the watch stands (WA-1, TR-5). */
    private Sink begin(Wire wire, Exchange exchange) throws IOException {
        HttpServletResponse response = exchange.response();
        response.setContentType(wire.contentType());
        if (wire == Wire.SERVER_SENT_EVENTS) {
            response.setHeader("X-Accel-Buffering", "no");
        }
        return ChunkSink.begin(exchange, crew::chunk);
    }

    private Optional<Portion> greeting(Wire wire) {
        return switch (wire) {
            case JSON_LINES -> Optional.empty();
            case SERVER_SENT_EVENTS ->
                    Optional.of(
                            Portion.sign(Frames.retry(clockwork.random().nextInt(1_000, 3_001))));
        };
    }

    /** An event that cannot be written ends the watch (NE-33). */
    private static Sink endingInsteadOfEvents(Ending ending) {
        return (portion, _) -> {
            if (portion.events() > 0) {
                ending.request();
            }
            return true;
        };
    }

    private Schedule schedule(CollectionRequest wanted, Wire wire) {
        ListOptions.Streaming streaming = wanted.options().streaming();
        Schedule.Needs needs =
                new Schedule.Needs(
                        streaming.bookmarks(), wire == Wire.SERVER_SENT_EVENTS, length(streaming));
        return new Schedule(clockwork.timing(), clockwork.nanos(), needs);
    }

    /** How long a watch lasts: as long as the client says, or at random (WA-27). */
    private Duration length(ListOptions.Streaming streaming) {
        Long seconds = streaming.timeoutSeconds();
        if (seconds != null && seconds > 0) {
            return Duration.ofSeconds(Math.min(seconds, Schedule.LONGEST.toSeconds()));
        }
        long shortest = clockwork.timing().shortestWatch().toNanos();
        return Duration.ofNanos(clockwork.random().nextLong(shortest, 2 * shortest));
    }
}
