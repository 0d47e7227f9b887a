package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.TableFormats.EventCells;
import io.kubemirror.feature.table.TableFormats.NodeCells;

import tools.jackson.databind.JsonNode;

/** The formats in {@code tables.txt}, which says how to read it. */
final class TableFile {

    /** The cells that need nothing but a part of the object, by their kind. */
    private static final Map<String, Function<JsonNode, String>> CELLS =
            Stream.of(
                            ClusterCells.CELLS,
                            StorageCells.CELLS,
                            NetworkCells.CELLS,
                            WorkloadCells.CELLS,
                            EventCells.CELLS,
                            NodeCells.CELLS)
                    .flatMap(cells -> cells.entrySet().stream())
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    private static final Map<String, TableFormat> FORMATS = read();

    private TableFile() {}

    /** Returns the format of a resource, empty if the file has none. */
    static Optional<TableFormat> of(String resource) {
        return Optional.ofNullable(FORMATS.get(resource));
    }

    private static Map<String, TableFormat> read() {
        try (InputStream file = TableFile.class.getResourceAsStream("tables.txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains(" | "))
                    .map(line -> line.split(" \\| ", -1))
                    .collect(Collectors.toMap(parts -> parts[0], TableFile::format));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TableFormat format(String... parts) {
        TableFormat format =
                TableFormat.of(
                        Stream.of(parts)
                                .skip(1)
                                .map(TableFile::column)
                                .map(column -> column.described(parts[0])));
        return parts[0].equals("pods")
                ? new TableFormat(format.columns(), WorkloadCells::completion)
                : format;
    }

    private static Column column(String text) {
        String[] sides = text.split(" = ", -1);
        String name = sides[0].replace("*", "");
        Column column =
                switch (text.replace("*", "")) {
                    case "Name" -> Column.named();
                    case "Age" -> Column.age();
                    default -> column(name, sides[1].split(" ", -1));
                };
        return name.equals(sides[0]) ? column : column.wide();
    }

    private static Column column(String name, String... words) {
        String[] kind = words[0].split(":", -1);
        Column column = column(name, kind[0], List.of(words).subList(1, words.length));
        return kind.length > 1 ? column.typed(kind[1]) : column;
    }

    private static Column column(String name, String kind, List<String> words) {
        String pointer = words.getFirst().equals("/") ? "" : words.getFirst();
        String none = words.size() > 1 ? words.getLast() : "";
        return switch (kind) {
            case "default" -> Column.named(words);
            case "name" -> Column.text(name, pointer).formatted("name");
            case "number" -> Column.number(name, pointer);
            case "size" ->
                    Column.number(
                            name, it -> words.stream().mapToLong(at -> it.at(at).size()).sum());
            case "flag" -> Column.flag(name, pointer, none.equals("true"));
            case "value" -> Column.value(name, pointer, none);
            case "since" -> Column.timed(name, (it, now) -> since(it.at(pointer), now, none));
            case "took" -> Column.timed(name, WorkloadCells::duration);
            case "restarts" -> Column.timed(name, (pod, now) -> PodState.of(pod).restarts(now));
            case "first-seen" -> Column.timed(name, EventCells::firstSeen);
            case "last-seen" -> Column.timed(name, EventCells::lastSeen);
            case "occurrences" -> Column.number(name, EventCells::count);
            case "text" -> Column.text(name, it -> it.at(pointer).asString(none));
            default ->
                    Column.text(
                            name, cell(kind, words, none).<JsonNode>compose(it -> it.at(pointer)));
        };
    }

    private static String since(JsonNode time, Instant now, String none) {
        return time.isString() ? HumanDuration.since(time, now) : none;
    }

    private static Function<JsonNode, String> cell(String kind, List<String> words, String none) {
        Function<JsonNode, String> cell =
                switch (kind) {
                    case "labels" -> CellText::labels;
                    case "selector" -> value -> CellText.orNone(CellText.selector(value));
                    case "terms" -> CellText::selector;
                    case "elements" -> value -> CellText.or(CellText.elements(value), none);
                    case "each" -> value -> CellText.each(value, words.get(1));
                    case "path" -> value -> CellText.path(value, words.get(1));
                    case "filled" -> value -> CellText.or(value.asString(""), none);
                    case "address" -> value -> NodeCells.address(value, none);
                    case "subjects" -> value -> ClusterCells.subjects(value, none);
                    case "condition" ->
                            value -> CellText.or(CellText.condition(value, words.get(1)), none);
                    default -> Objects.requireNonNull(CELLS.get(kind), kind);
                };
        return words.size() > 2 ? part -> part.isMissingNode() ? none : cell.apply(part) : cell;
    }
}
