package io.kubemirror.feature.table;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;
import io.kubemirror.feature.table.TableFormat.Column;
import io.kubemirror.feature.table.TableFormat.Column.Cell;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The formats in {@code tables.txt}, which says how to read it. */
final class TableFile {

    /** The kinds of cells that are integers unless the column has another type. */
    private static final Set<String> INTEGERS = Set.of("number", "size", "data", "occurrences");

    /** The cells of columns that most types have. */
    private static final Map<String, String> COMMON =
            Map.of(
                    "Name", "text /metadata/name",
                    "Age", "since /metadata/creationTimestamp <unknown>",
                    "Created At", "text:date /metadata/creationTimestamp");

    /** The descriptions of the API server, by resource and column; * stands for any resource. */
    private static final JsonNode DESCRIPTIONS =
            JsonMapper.shared().readTree(content("descriptions.json"));

    private static final Map<String, TableFormat> FORMATS = read();

    /** The format of types without their own columns (list-watch.md#ne-20). */
    private static final TableFormat PLAIN =
            new TableFormat(List.of(column("*", "Name"), column("*", "Created At")));

    private TableFile() {}

    /** Returns the format of a built-in resource, empty if the file has none. */
    static Optional<TableFormat> of(String resource) {
        return Optional.ofNullable(FORMATS.get(resource));
    }

    /** Returns the format of types without their own columns: name and creation time. */
    static TableFormat plain() {
        return PLAIN;
    }

    private static String content(String name) {
        try (InputStream file = TableFile.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, TableFormat> read() {
        return content("tables.txt")
                .lines()
                .filter(line -> line.contains(" | "))
                .map(line -> line.split(" \\| ", -1))
                .collect(Collectors.toMap(parts -> parts[0], TableFile::format));
    }

    private static TableFormat format(String... parts) {
        List<Column> columns =
                Stream.of(parts).skip(1).map(column -> column(parts[0], column)).toList();
        return parts[0].equals("pods")
                ? new TableFormat(columns, BuiltInCells::completion)
                : new TableFormat(columns);
    }

    /** Reads a column of a resource. */
    static Column column(String resource, String text) {
        String[] sides = text.split(" = ", -1);
        String name = sides[0].replace("*", "");
        String value = sides.length > 1 ? sides[1] : Objects.requireNonNull(COMMON.get(name), name);
        String[] words = value.split(" ", -1);
        String[] kind = words[0].split(":", -1);
        String inferred = INTEGERS.contains(kind[0]) ? "integer" : "string";
        return new Column(
                name,
                kind.length > 1 ? kind[1] : inferred,
                name.equals("Name") ? "name" : "",
                description(resource, name),
                name.equals(sides[0]) ? 0 : 1,
                cell(kind[0], words.length > 2 ? words[2] : "")
                        .at(words[1].equals("/") ? List.of("") : List.of(words[1].split("\\|"))));
    }

    private static String description(String resource, String name) {
        JsonNode own = DESCRIPTIONS.path(resource).path(name);
        return own.isString()
                ? own.asString()
                : DESCRIPTIONS.required("*").required(name).asString();
    }

    private static Cell cell(String kind, String word) {
        return switch (kind) {
            case "text" -> (part, _) -> part.asString(word);
            case "filled" -> (part, _) -> CellText.or(part.asString(""), word);
            case "number" -> (part, _) -> part.asLong(0);
            case "size" -> (part, _) -> part.size();
            case "each" -> (part, _) -> CellText.each(part, word);
            case "since" -> (time, now) -> time.isString() ? HumanDuration.since(time, now) : word;
            case "labels" -> (part, _) -> CellText.labels(part);
            case "selector" -> (part, _) -> CellText.orNone(CellText.selector(part));
            case "terms" -> (part, _) -> CellText.selector(part);
            case "address" -> (part, _) -> BuiltInCells.address(part, word);
            default -> ofCluster(kind);
        };
    }

    private static Cell ofCluster(String kind) {
        return switch (kind) {
            case "data" -> (it, _) -> it.path("data").size() + it.path("binaryData").size();
            case "node-status" -> (node, _) -> BuiltInCells.nodeStatus(node);
            case "roles" -> (labels, _) -> BuiltInCells.roles(labels);
            case "occurrences" -> (count, _) -> Math.max(1, count.asLong(0));
            case "involved" -> (object, _) -> BuiltInCells.involved(object);
            case "message" -> (message, _) -> message.asString("").strip();
            case "source" -> (event, _) -> BuiltInCells.source(event);
            default -> ofWorkload(kind);
        };
    }

    private static Cell ofWorkload(String kind) {
        return switch (kind) {
            case "pod-ready" -> (pod, _) -> new PodState(pod).ready();
            case "pod-status" -> (pod, _) -> new PodState(pod).reason();
            case "restarts" -> (pod, now) -> new PodState(pod).restarts(now);
            case "readiness-gates" -> (pod, _) -> BuiltInCells.readinessGates(pod);
            case "ready" -> (workload, _) -> BuiltInCells.ready(workload);
            case "suspended" -> (suspend, _) -> BuiltInCells.suspended(suspend);
            case "external-ip" -> (service, _) -> BuiltInCells.externalIp(service);
            case "service-ports" -> (ports, _) -> BuiltInCells.servicePorts(ports);
            default -> throw new IllegalArgumentException(kind);
        };
    }
}
