package io.kubemirror.feature.table;

import module java.base;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;

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

    private static final KnownFormat NONE = new KnownFormat(Optional.of(TableFile.plain()), "");

    private static final PrinterColumn AGE =
            new PrinterColumn(
                    "Age",
                    "date",
                    "",
                    TableFile.column("*", "Age").description(),
                    0,
                    ".metadata.creationTimestamp");

    private final Function<ResourceType, Result<ResourceDefinition>> columns;
    private final LoadingCache<ResourceType, KnownFormat> formats;

    /**
     * A cached format.
     *
     * @param format the format, empty if it has a path that is not understood
     * @param problem why the definition could not be read the last time, empty if it was read
     */
    private record KnownFormat(Optional<TableFormat> format, String problem) {}

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

    /** Returns the format of a type, empty if it has a path that is not understood. */
    Optional<TableFormat> of(ResourceType type) {
        return formats.get(type).format();
    }

    private KnownFormat ask(ResourceType type, KnownFormat before) {
        return switch (columns.apply(type)) {
            case Result.Success(var declared) -> new KnownFormat(format(declared.columns()), "");
            case Result.Failed(var failure) -> {
                String problem = failure.summary();
                if (!problem.equals(before.problem())) {
                    log.info("Cannot read the columns of {}: {}", type.groupResource(), problem);
                }
                yield new KnownFormat(before.format(), problem);
            }
        };
    }

    /**
     * Returns the format of a custom resource, empty if it has a path that is not understood.
     * Without declared columns, it shows the age.
     *
     * @param columns the columns that the definition declares
     */
    static Optional<TableFormat> format(List<PrinterColumn> columns) {
        List<Column> shown = new ArrayList<>(List.of(TableFile.column("*", "Name")));
        for (PrinterColumn declared : columns.isEmpty() ? List.of(AGE) : columns) {
            Optional<Column> column =
                    JsonPath.parse(declared.jsonPath()).map(path -> column(declared, path));
            if (column.isEmpty()) {
                return Optional.empty();
            }
            shown.add(column.get());
        }
        return Optional.of(new TableFormat(shown));
    }

    private static Column column(PrinterColumn declared, JsonPath path) {
        return new Column(
                declared.name(),
                declared.type(),
                declared.format(),
                declared.description(),
                declared.priority(),
                (object, now) ->
                        path.first(object)
                                .map(value -> GoValue.cell(declared.type(), value, now))
                                .orElse(null));
    }
}
