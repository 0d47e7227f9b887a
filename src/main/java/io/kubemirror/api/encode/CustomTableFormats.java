package io.kubemirror.api.encode;

import io.kubemirror.api.encode.table.TableFormat;
import io.kubemirror.api.encode.table.TableFormats;
import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ColumnsOutcome;
import io.kubemirror.upstream.Failure;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The formats of custom resources, asked of the API server when a table of them is first wanted and
 * again from time to time, as definitions change.
 *
 * <p>Where the definition cannot be read, tables show what every object has. Only the very first
 * readers of a type wait for the API server; later ones get what is known. Used by many threads.
 */
public final class CustomTableFormats {

    /** How long columns are taken for granted. */
    private static final Duration LIFETIME = Duration.ofMinutes(5);

    /** How soon a definition that could not be read is asked for again. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(CustomTableFormats.class);

    private final Map<ResourceType, CachedFormat> entries = new ConcurrentHashMap<>();
    private final PrinterColumns columns;
    private final LongSupplier nanos;

    /**
     * Formats.
     *
     * @param columns asks the API server
     * @param nanos a monotonic clock in nanoseconds
     */
    public CustomTableFormats(PrinterColumns columns, LongSupplier nanos) {
        this.columns = columns;
        this.nanos = nanos;
    }

    /** The format of a type. */
    TableFormat of(ResourceType type) {
        return entries.computeIfAbsent(type, CachedFormat::new).format();
    }

    /**
     * What is known of a type.
     *
     * @param format the format
     * @param problem why the definition could not be read, empty if it could
     * @param until when to ask again
     */
    private record KnownFormat(TableFormat format, String problem, long until) {}

    /** One type. */
    private final class CachedFormat {

        private final ResourceType type;
        private final ReentrantLock asking = new ReentrantLock();
        private volatile @Nullable KnownFormat known;

        CachedFormat(ResourceType type) {
            this.type = type;
        }

        TableFormat format() {
            KnownFormat now = known;
            if (now != null && (isFresh(now) || !asking.tryLock())) {
                return now.format();
            }
            if (now == null) {
                asking.lock();
            }
            try {
                return refreshed().format();
            } finally {
                asking.unlock();
            }
        }

        private KnownFormat refreshed() {
            KnownFormat before = known;
            if (before != null && isFresh(before)) {
                return before;
            }
            KnownFormat next = ask(before);
            known = next;
            return next;
        }

        private KnownFormat ask(@Nullable KnownFormat before) {
            return switch (columns.of(type)) {
                case ColumnsOutcome.Declared declared ->
                        new KnownFormat(
                                TableFormats.ofCustom(declared.columns()),
                                "",
                                nanos.getAsLong() + LIFETIME.toNanos());
                case Failure failure -> {
                    String problem = failure.summary();
                    if (before == null || !before.problem().equals(problem)) {
                        log.info(
                                "The columns of {} are not known: {}",
                                type.groupResource(),
                                problem);
                    }
                    yield new KnownFormat(
                            before == null ? TableFormat.plain() : before.format(),
                            problem,
                            nanos.getAsLong() + RETRY.toNanos());
                }
            };
        }

        private boolean isFresh(KnownFormat now) {
            return nanos.getAsLong() - now.until() < 0;
        }
    }
}
