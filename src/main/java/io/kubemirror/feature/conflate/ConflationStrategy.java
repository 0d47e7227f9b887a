package io.kubemirror.feature.conflate;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.watch.CatchUp;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import org.springframework.stereotype.Component;

/** Conflates the watches whose clients ask for the newest state (list-watch.md#cw-5). */
@Component
final class ConflationStrategy implements CatchUp.Provider, MirrorSet.Listener {

    private final MirrorSet mirrors;
    private final MeterRegistry registry;
    private final MeterProvider<Counter> counters;

    ConflationStrategy(MirrorSet mirrors, MeterRegistry registry) {
        this.mirrors = mirrors;
        this.registry = registry;
        this.counters =
                Counter.builder("kubemirror.watch.conflated")
                        .description("Times that a conflated watch has left out changes")
                        .withRegistry(registry);
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
        Mirror mirror = wanted.mirror();
        return new Conflation(wanted, exchange.memory().responses(), () -> count(mirror), signal);
    }

    /** A mirror that has been removed is not counted, so that its metric does not come back. */
    private void count(Mirror mirror) {
        if (mirrors.has(mirror.scope())) {
            counter(mirror).increment();
        }
    }

    /** One that takes the place of another has its counter. */
    private Counter counter(Mirror mirror) {
        return counters.withTags(Tags.of(mirror.scope().tags()));
    }

    @Override
    public void added(Mirror mirror) {
        counter(mirror);
    }

    @Override
    public void removed(Mirror mirror) {
        if (!mirrors.has(mirror.scope())) {
            registry.remove(counter(mirror));
        }
    }
}
