package io.kubemirror.feature.table;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.DefinitionApi.ResourceDefinition;
import io.kubemirror.source.Result;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The table formats of custom resources. A format is requested from the API server when a table is
 * first needed, and periodically afterward, because definitions change.
 *
 * <p>If the definition cannot be read, tables show the default columns. Only the first readers of a
 * type wait for the API server; later ones get the last known format. Used by many threads.
 */
public final class CustomTableFormats {

    /** The lifetime of a cached format. */
    private static final Duration LIFETIME = Duration.ofMinutes(5);

    /** The interval after which a definition that could not be read is requested again. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(CustomTableFormats.class);

    private final Map<ResourceType, CachedFormat> entries = new ConcurrentHashMap<>();
    private final Function<ResourceType, Result<ResourceDefinition>> columns;
    private final LongSupplier nanos;

    /**
     * Creates a cache of formats.
     *
     * @param columns requests the columns that a definition declares from the API server
     *     (list-watch.md#ne-21)
     * @param nanos a monotonic clock in nanoseconds
     */
    public CustomTableFormats(
            Function<ResourceType, Result<ResourceDefinition>> columns, LongSupplier nanos) {
        this.columns = columns;
        this.nanos = nanos;
    }

    /** Returns the format of a type. */
    TableFormat of(ResourceType type) {
        return entries.computeIfAbsent(type, CachedFormat::new).format();
    }

    /**
     * A cached format.
     *
     * @param format the format
     * @param problem why the definition could not be read, empty if it was read
     * @param until when to request it again
     */
    private record KnownFormat(TableFormat format, String problem, long until) {}

    /** The cache entry of one type. */
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
                KnownFormat current = known;
                if (current == null || !isFresh(current)) {
                    current = ask(current);
                    known = current;
                }
                return current.format();
            } finally {
                asking.unlock();
            }
        }

        private KnownFormat ask(@Nullable KnownFormat before) {
            return switch (columns.apply(type)) {
                case Result.Success(var declared) ->
                        new KnownFormat(
                                TableFormats.ofCustom(declared.columns()),
                                "",
                                nanos.getAsLong() + LIFETIME.toNanos());
                case Result.Failed(var failure) -> {
                    String problem = failure.summary();
                    if (before == null || !before.problem().equals(problem)) {
                        log.info(
                                "Cannot read the columns of {}: {}", type.groupResource(), problem);
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
