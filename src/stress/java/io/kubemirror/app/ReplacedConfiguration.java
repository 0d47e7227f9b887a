package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.config.BoundRecords;
import io.kubemirror.app.config.CurrentProperties;
import io.kubemirror.interleaving.ConcurrentScenario;

/** The configuration is replaced: what follows from a listener finds all parts in force. */
final class ReplacedConfiguration implements ConcurrentScenario {

    private static final BoundRecords FIRST = connections("7");
    private static final BoundRecords NEXT = connections("8");

    private final CurrentProperties current = new CurrentProperties(FIRST);
    private final Supplier<Integer> most =
            current.part(all -> all.get(MirrorProperties.class).connections().max());
    private volatile boolean told;
    private boolean early;

    ReplacedConfiguration() {
        current.listen(
                all -> all.get(MirrorProperties.class).connections().max(), (_, _) -> tell());
    }

    /** Spring finds records by the context's class loader, which is not the instrumenting one. */
    private static BoundRecords connections(String max) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ReplacedConfiguration.class.getClassLoader());
        try {
            return BoundProperties.records(Map.of("kubemirror.connections.max", max));
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** A method, because lambdas have no steps. */
    private void tell() {
        told = true;
    }

    private void replace() {
        current.prepare(NEXT).run();
    }

    private void read() {
        early = told && (most.get() != 8 || !NEXT.equals(current.records()));
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::replace, this::read);
    }

    @Override
    public void verify() {
        assertThat(early).isFalse();
        assertThat(most.get()).isEqualTo(8);
    }
}
