package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException;
import io.kubemirror.feature.disk.StoreFile.UntrustedStoreException.Reason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs what happens to the files of mirrors. The log has one line for a failure, and one
 * when all mirrors are stored again. Safe for use by any thread.
 */
final class StoreCounts {

    private static final Logger log = LoggerFactory.getLogger(StoreCounts.class);

    private static final String RESTORED = "restored";

    private static final String COST = "mirrors cannot be stored, so a restart costs a list: ";

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong restoring = new AtomicLong();
    private final Map<String, AtomicLong> results =
            Stream.concat(Stream.of(RESTORED), Arrays.stream(Reason.values()).map(Names::kebab))
                    .collect(Collectors.toUnmodifiableMap(name -> name, _ -> new AtomicLong()));

    /** Why mirrors are not stored at present, empty if they are. */
    private final AtomicReference<String> failing = new AtomicReference<>("");

    void bindTo(MeterRegistry registry) {
        counter("kubemirror.persistence.written", bytes, "Bytes written to files")
                .baseUnit("bytes")
                .register(registry);
        counter("kubemirror.persistence.records", records, "Records written to files")
                .register(registry);
        counter("kubemirror.persistence.failures", failures, "Failures to store a mirror")
                .register(registry);
        results.forEach(
                (result, count) ->
                        counter(
                                        "kubemirror.persistence.restores",
                                        count,
                                        "Files found at the start, by what became of them")
                                .tag("result", result)
                                .register(registry));
        TimeGauge.builder(
                        "kubemirror.persistence.restore.max",
                        restoring,
                        TimeUnit.NANOSECONDS,
                        AtomicLong::get)
                .description("The longest time that a mirror took to be read from its file")
                .register(registry);
    }

    private static FunctionCounter.Builder<AtomicLong> counter(
            String name, AtomicLong count, String description) {
        return FunctionCounter.builder(name, count, AtomicLong::get).description(description);
    }

    /** Counts a record. */
    void written(long size) {
        bytes.addAndGet(size);
        records.incrementAndGet();
    }

    /** Records that a mirror has the content of its file. */
    void restored(Mirror mirror, Duration took, Instant contact) {
        count(RESTORED);
        restoring.accumulateAndGet(took.toNanos(), Math::max);
        log.info(
                "{}: restored in {} ms: {}; last contact with the server at {}",
                mirror.scope(),
                took.toMillis(),
                mirror.snapshot().orElseThrow(),
                contact);
    }

    private void count(String result) {
        Objects.requireNonNull(results.get(result)).incrementAndGet();
    }

    /** Records that a file is not used. */
    void discarded(Mirror mirror, UntrustedStoreException why) {
        count(Names.kebab(why.reason()));
        log.warn("{}: the stored mirror is discarded: {}", mirror.scope(), why.getMessage());
    }

    /**
     * Records that a mirror cannot be stored.
     *
     * @param path its file, or the directory of all
     */
    void failed(Path path, Exception why) {
        failures.incrementAndGet();
        String problem = path + ": " + COST + FileFailure.reason(why);
        if (failing.compareAndSet("", problem)) {
            log.warn("{}; check kubemirror.persistence.directory", problem);
        }
    }

    /** Returns why mirrors are not stored at present, empty if they are. */
    String problem() {
        return failing.get();
    }

    /** Logs that a mirror of Secrets is not stored. */
    void refused(Mirror mirror) {
        log.info("{}: Secrets are not stored, so a restart costs a list", mirror.scope());
    }

    /** Logs a defect of kubemirror; the stack trace names no object. */
    void defect(Throwable bug) {
        failures.incrementAndGet();
        failing.compareAndSet("", COST + bug.getClass().getSimpleName() + ", which the log shows");
        log.error("Cannot store mirrors", bug);
    }

    /** Records that all mirrors are stored. */
    void succeeded() {
        if (!failing.getAndSet("").isEmpty()) {
            log.info("All mirrors are stored again");
        }
    }
}
