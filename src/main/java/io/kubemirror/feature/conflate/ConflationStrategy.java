package io.kubemirror.feature.conflate;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.watch.CatchUp;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Conflates the watches whose clients ask for the newest state (list-watch.md#cw-5). */
final class ConflationStrategy implements CatchUp.Provider, MirrorSet.Listener {

    /** By the name of the mirror: one that takes the place of another has its counter. */
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    private final MirrorSet mirrors;
    private final MeterRegistry registry;

    ConflationStrategy(MirrorSet mirrors, MeterRegistry registry) {
        this.mirrors = mirrors;
        this.registry = registry;
        mirrors.listen(this);
    }

    @Override
    public boolean isWanted(Exchange exchange) {
        String header = exchange.request().getHeader("Kubemirror-Conflate");
        return exchange.query()
                .flag("kubemirrorConflate")
                .orElseGet(() -> Boolean.parseBoolean(header));
    }

    @Override
    public CatchUp begin(CollectionRequest wanted, Exchange exchange, Runnable signal) {
        // A mirror that has been removed since is not counted.
        Optional<Counter> counter =
                Optional.ofNullable(counters.get(wanted.mirror().scope().toString()));
        return new Conflation(
                wanted,
                exchange.memory().responses(),
                () -> counter.ifPresent(Counter::increment),
                signal);
    }

    @Override
    public void added(Mirror mirror) {
        counters.computeIfAbsent(
                mirror.scope().toString(),
                _ ->
                        Counter.builder("kubemirror.watch.conflated")
                                .description("Times that a conflated watch has left out changes")
                                .tags(Tags.of(mirror.scope().tags()))
                                .register(registry));
    }

    @Override
    public void removed(Mirror mirror) {
        if (!mirrors.has(mirror.scope())) {
            Optional.ofNullable(counters.remove(mirror.scope().toString()))
                    .ifPresent(registry::remove);
        }
    }
}
