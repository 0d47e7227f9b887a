package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream.UpstreamWatch;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadWatch;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Unchecked;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/**
 * An API server in virtual time with one outage after another. After each outage its revision is
 * higher by one, and each watch gets a bookmark with it.
 */
final class UnreachableServer implements Source {

    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final Duration POLL = Duration.ofMillis(50);

    private final VirtualTime time;
    private final Way way;
    private final List<Outage> outages;

    /** How clients experience outages. */
    enum Way {
        /** Connections are refused. */
        REFUSING,
        /** A load balancer without a server accepts connections and closes them. */
        CLOSING,
        /** Connections are refused, and the server remembers no revision from before. */
        FORGETTING
    }

    /**
     * A time without a server.
     *
     * @param from when it begins
     * @param to when the server accepts connections again
     */
    record Outage(Instant from, Instant to) {}

    UnreachableServer(VirtualTime time, Way way, List<Outage> outages) {
        this.time = time;
        this.way = way;
        this.outages = outages;
    }

    private boolean isAway() {
        Instant now = time.instant();
        return outages.stream()
                .anyMatch(outage -> !now.isBefore(outage.from()) && now.isBefore(outage.to()));
    }

    /** The number of outages that are over, from 100 on. */
    long revision() {
        return 100 + over();
    }

    private long over() {
        Instant now = time.instant();
        return outages.stream().filter(outage -> !now.isBefore(outage.to())).count();
    }

    @Override
    public SourceDescription description() {
        return new SourceDescription("a test", "a test", "kubemirror.upstream");
    }

    @Override
    public boolean acceptsConnections() {
        return !isAway();
    }

    private <T> Result<T> unreachable() {
        return Result.failed(new Failure.Unreachable("away", way != Way.CLOSING));
    }

    private void travel() {
        Unchecked.run(() -> time.sleep(LATENCY));
    }

    @Override
    public Result<TypeLookup> resolve(ResourceName name) {
        travel();
        return isAway() ? unreachable() : Result.of(new TypeLookup.Found(StateMachineHarness.PODS));
    }

    @Override
    public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
        travel();
        return isAway() ? unreachable() : Result.of(new ListMeta(present(), null, null));
    }

    private Revision present() {
        return KubeObjects.revision(revision());
    }

    @Override
    public Result<UpstreamWatch> watch(WatchRequest request) {
        travel();
        if (isAway()) {
            return unreachable();
        }
        Revision from = request.revision();
        boolean forgotten = way == Way.FORGETTING && from != null && from.isBefore(present());
        return forgotten && !request.initialEvents()
                ? Result.failed(new Failure.Refused(new Status(410, "Expired", "too old", null)))
                : Result.of(new Stream(from, request.initialEvents()));
    }

    /** A watch that lasts until the next outage, or the end of all. */
    private final class Stream implements UpstreamWatch {

        private final long opened = over();
        private boolean told;
        private final boolean initialEvents;

        Stream(@Nullable Revision from, boolean initialEvents) {
            this.initialEvents = initialEvents;
            told = !initialEvents && present().equals(from);
        }

        @Override
        public WatchFrame next() {
            if (!told) {
                told = true;
                return new WatchFrame.Bookmark(present(), initialEvents);
            }
            while (!isAway() && over() == opened && over() < outages.size()) {
                rest();
            }
            return new WatchFrame.Broken("cut", BrokenKind.CUT);
        }

        private void rest() {
            Unchecked.run(() -> time.sleep(POLL));
        }

        @Override
        public void close() {
            told = true;
        }

        @Override
        public ReadAheadWatch ahead(ReadAheadLimits bound) {
            throw new AssertionError("the lists have one page");
        }
    }
}
