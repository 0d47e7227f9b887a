package io.kubemirror.history;

import module java.base;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Everything that happened in a run. Safe for use by several threads. */
final class History {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final AtomicLong ids = new AtomicLong();
    private final List<Operation> operations = Collections.synchronizedList(new ArrayList<>());
    private final List<Sample> samples = Collections.synchronizedList(new ArrayList<>());
    private final List<Fault> faults = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Truth> truths = Collections.synchronizedMap(new TreeMap<>());

    /** A number that no operation has yet. */
    long nextId() {
        return ids.incrementAndGet();
    }

    void add(Operation operation) {
        operations.add(operation);
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    void add(Fault fault) {
        faults.add(fault);
    }

    /** Adds a change that etcd has reported. One thread does that. */
    void stored(String resource, Version version) {
        truth(resource).add(version);
    }

    List<Operation> operations() {
        return copy(operations);
    }

    List<Sample> samples() {
        return copy(samples);
    }

    List<Fault> faults() {
        return copy(faults);
    }

    private static <T> List<T> copy(List<T> list) {
        synchronized (list) {
            return List.copyOf(list);
        }
    }

    /** What was stored of a type. Read it when the run is over. */
    Truth truth(String resource) {
        return truths.computeIfAbsent(resource, _ -> new Truth());
    }

    /** The newest revision of all types that is known at a time. */
    long newest(long time) {
        return truths.values().stream().mapToLong(truth -> truth.revisionAt(time)).max().orElse(0);
    }

    /** Writes it as one line of JSON for each thing that happened. */
    void write(Path file) {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (Map.Entry<String, Truth> truth : truths.entrySet()) {
                for (Version version : truth.getValue().changes()) {
                    line(out, "stored", Map.of("resource", truth.getKey(), "version", version));
                }
            }
            for (Fault fault : faults()) {
                line(out, "fault", fault);
            }
            for (Sample sample : samples()) {
                line(out, "sample", sample);
            }
            for (Operation operation : operations()) {
                line(out, "operation", operation);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads what {@link #write} has written. */
    static History read(Path file) throws IOException {
        History history = new History();
        try (Stream<String> lines = Files.lines(file)) {
            lines.map(MAPPER::readTree).forEach(history::add);
        }
        return history;
    }

    private void add(JsonNode line) {
        JsonNode stored = line.path("stored");
        if (!stored.isMissingNode()) {
            truth(stored.path("resource").asString())
                    .restore(MAPPER.treeToValue(stored.path("version"), Version.class));
        } else if (line.has("fault")) {
            add(MAPPER.treeToValue(line.path("fault"), Fault.class));
        } else if (line.has("sample")) {
            add(MAPPER.treeToValue(line.path("sample"), Sample.class));
        } else {
            add(MAPPER.treeToValue(line.path("operation"), Operation.class));
        }
    }

    private static void line(BufferedWriter out, String kind, Object value) throws IOException {
        out.write(MAPPER.writeValueAsString(Map.of(kind, value)));
        out.newLine();
    }
}
