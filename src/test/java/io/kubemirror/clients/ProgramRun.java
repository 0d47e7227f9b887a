package io.kubemirror.clients;

import module java.base;

import io.kubemirror.testing.Unchecked;

/** A running program, which is stopped when this is closed. */
public final class ProgramRun implements AutoCloseable {

    private final Process process;
    private final Consumer<String> listener;
    private final OutputLines output = new OutputLines();
    private final Thread reader;

    private ProgramRun(Process process, Consumer<String> listener) {
        this.process = process;
        this.listener = listener;
        reader = Thread.ofVirtual().start(this::read);
    }

    /** Starts a program in a directory. */
    public static ProgramRun start(Path directory, List<String> command) {
        return start(directory, command, _ -> {});
    }

    /** Starts a program in a directory with a listener to its output. */
    static ProgramRun start(Path directory, List<String> command, Consumer<String> listener) {
        return start(directory, new ProcessBuilder(command), listener);
    }

    /** Starts a program in a directory with no environment but this one. */
    public static ProgramRun start(
            Path directory, List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        return start(directory, builder, _ -> {});
    }

    private static ProgramRun start(
            Path directory, ProcessBuilder builder, Consumer<String> listener) {
        builder.directory(directory.toFile()).redirectErrorStream(true);
        return Unchecked.call(() -> new ProgramRun(builder.start(), listener));
    }

    /** The lines that it prints. */
    OutputLines output() {
        return output;
    }

    /** Waits until it has ended, five minutes at most, and returns its exit code. */
    int exitCode() {
        try {
            int code = process.onExit().get(5, TimeUnit.MINUTES).exitValue();
            reader.join();
            return code;
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("it does not end; it says " + output.all(), e);
        }
    }

    /**
     * Waits until it has ended and returns what it has printed.
     *
     * @throws AssertionError if its exit code is not 0
     */
    public String text() {
        int code = exitCode();
        String text = String.join("\n", output.all());
        if (code != 0) {
            throw new AssertionError("exit code " + code + ": " + text);
        }
        return text;
    }

    /** Waits until it has ended and returns what it has printed, and its exit code. */
    public String outcome() {
        int code = exitCode();
        return String.join("\n", output.all()) + "\nexit code " + code;
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                listener.accept(line);
            }
        } catch (IOException e) {
            // It was ended by force.
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}
