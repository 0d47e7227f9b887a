package io.kubemirror.feature.table;

import module java.base;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table formats of custom resources. A format is requested from the API server when a table is
 * first needed, and again when it is needed a minute later, because definitions change.
 *
 * <p>If the definition cannot be read, tables show the default columns, or those that are known.
 * Only the first readers of a type wait for the API server; later ones get the last known format.
 * Used by many threads.
 */
public final class CustomTableFormats {

    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(CustomTableFormats.class);

    private static final KnownFormat NONE = new KnownFormat(TableFormat.plain(), "");

    private final Function<ResourceType, Result<ResourceDefinition>> columns;
    private final LoadingCache<ResourceType, KnownFormat> formats;

    /**
     * A cached format.
     *
     * @param problem why the definition could not be read the last time, empty if it was read
     */
    private record KnownFormat(TableFormat format, String problem) {}

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
        this.formats =
                Caffeine.newBuilder()
                        .refreshAfterWrite(LIFETIME)
                        .ticker(nanos::getAsLong)
                        // The thread that needs the format asks.
                        .executor(Runnable::run)
                        .build(
                                new CacheLoader<>() {
                                    @Override
                                    public KnownFormat load(ResourceType type) {
                                        return ask(type, NONE);
                                    }

                                    @Override
                                    public KnownFormat reload(
                                            ResourceType type, KnownFormat before) {
                                        return ask(type, before);
                                    }
                                });
    }

    /** Returns the format of a type. */
    TableFormat of(ResourceType type) {
        return formats.get(type).format();
    }

    private KnownFormat ask(ResourceType type, KnownFormat before) {
        return switch (columns.apply(type)) {
            case Result.Success(var declared) ->
                    new KnownFormat(TableFormats.ofCustom(declared.columns()), "");
            case Result.Failed(var failure) -> {
                String problem = failure.summary();
                if (!problem.equals(before.problem())) {
                    log.info("Cannot read the columns of {}: {}", type.groupResource(), problem);
                }
                yield new KnownFormat(before.format(), problem);
            }
        };
    }
}
