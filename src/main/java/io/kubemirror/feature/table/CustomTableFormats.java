package io.kubemirror.feature.table;

import module java.base;

import com.github.benmanes.caffeine.cache.CacheLoader;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.CustomTableFormats.KnownFormat;
import io.kubemirror.feature.table.TableFormat.Column;
import io.kubemirror.model.ResourceType;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/**
 * The table formats of custom resources. A format is requested from the API server when a table is
 * first needed, and again when it is needed a minute later, because definitions change.
 *
 * <p>If the definition cannot be read, tables show the default columns, or those that are known.
 * Only the first readers of a type wait for the API server; later ones get the last known format.
 * Used by many threads.
 */
final class CustomTableFormats implements CacheLoader<ResourceType, KnownFormat> {

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
    record KnownFormat(Optional<TableFormat> format, String problem) {}

    /**
     * Creates a cache of formats.
     *
     * @param columns requests the columns that a definition declares from the API server
     *     (list-watch.md#ne-21)
     * @param nanos a monotonic clock in nanoseconds
     */
    CustomTableFormats(
            Function<ResourceType, Result<ResourceDefinition>> columns, LongSupplier nanos) {
        this.columns = columns;
        this.formats =
                Caffeine.newBuilder()
                        .refreshAfterWrite(LIFETIME)
                        .ticker(nanos::getAsLong)
                        // The thread that needs the format asks.
                        .executor(Runnable::run)
                        .build(this);
    }

    /** Returns the format of a type, empty if it has a path that is not understood. */
    Optional<TableFormat> of(ResourceType type) {
        return formats.get(type).format();
    }

    @Override
    public KnownFormat load(ResourceType type) {
        return reload(type, NONE);
    }

    @Override
    public KnownFormat reload(ResourceType type, KnownFormat before) {
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

    /**
     * Turns values of custom resources into cells as the API server does, which is written in Go
     * (list-watch.md#ne-21). Nothing recurses, because objects may be nested deeply.
     */
    static final class GoValue {

        private GoValue() {}

        /**
         * Returns the cell for a value: text, a number, a truth value, or null if the value does
         * not have the type of the column.
         *
         * @param type the type of the column
         * @param now the time from which ages are computed
         */
        static @Nullable Object cell(String type, JsonNode value, Instant now) {
            return switch (type) {
                case "string" -> text(value);
                case "integer" -> value.isNumber() ? integer(value) : null;
                case "number" -> value.isNumber() ? new RawValue(number(value)) : null;
                case "boolean" -> value.isBoolean() ? value.booleanValue() : null;
                case "date" -> value.isString() ? age(value.stringValue(), now) : null;
                default -> null;
            };
        }

        /** Returns what {@code fmt.Fprint} prints, for maps and slices their JSON. */
        private static String text(JsonNode value) {
            if (value.isNull()) {
                return "<no value>";
            }
            if (value.isNumber() && !value.isIntegralNumber()) {
                return number(value);
            }
            return value.isContainer() ? json(value) : value.asString("");
        }

        private static long integer(JsonNode number) {
            return number.isIntegralNumber() && number.canConvertToLong()
                    ? number.longValue()
                    : (long) number.doubleValue();
        }

        /** Returns the shortest digits of a number. */
        private static String number(JsonNode value) {
            return new BigDecimal(Double.toString(value.doubleValue()))
                    .stripTrailingZeros()
                    .toPlainString();
        }

        /**
         * Returns the age of a time of RFC 3339, for which Java accepts lower case and Go does not.
         */
        private static String age(String text, Instant now) {
            if (text.isEmpty()) {
                return CellText.UNKNOWN;
            }
            try {
                return text.equals(text.toUpperCase(Locale.ROOT))
                        ? HumanDuration.between(OffsetDateTime.parse(text).toInstant(), now)
                        : CellText.INVALID;
            } catch (DateTimeException invalid) {
                return CellText.INVALID;
            }
        }

        /** Returns JSON with Go's escapes. The API server has sorted the members. */
        private static String json(JsonNode value) {
            return value.toString()
                    .replace("<", "\\u003c")
                    .replace(">", "\\u003e")
                    .replace("&", "\\u0026")
                    .replace("\u2028", "\\u2028")
                    .replace("\u2029", "\\u2029");
        }
    }
}
