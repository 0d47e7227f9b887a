package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.springframework.boot.SpringApplication;

/** A running executable with its log. It ends with this JVM. */
public final class ServerProcess {

    private static final Duration POLL = Duration.ofMillis(50);

    private final Process process;
    private final Path log;

    /** Runs after the applications of this JVM have ended, which would miss their server. */
    private final Runnable atExit;

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        atExit = process::destroyForcibly;
        SpringApplication.getShutdownHandlers().add(atExit);
    }

    public static ServerProcess start(List<String> command, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        return Unchecked.call(() -> new ServerProcess(builder.start(), log));
    }

    /** Returns the output of a command. */
    static String output(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits until the process is ready.
     *
     * @throws IllegalStateException with the end of the log, if it ends before or takes too long
     */
    public void await(BooleanSupplier ready, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!ready.getAsBoolean()) {
            if (hasEnded() || System.nanoTime() > deadline) {
                stop();
                throw new IllegalStateException(
                        "a server does not come up; the end of its log:\n" + tail());
            }
        }
    }

    /** Whether the process has ended, after having given it a moment. */
    private boolean hasEnded() {
        try {
            return process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Suspends or resumes the process; its connections stay open. */
    void signal(String name) {
        output("kill", "-" + name, Long.toString(process.pid()));
    }

    /** Sends SIGTERM, and waits for the end of the process. */
    public void terminate() {
        process.toHandle().destroy();
        process.onExit().join();
    }

    /** Waits until the process has ended by itself, and returns its exit code. */
    public int awaitEnd() {
        return process.onExit().join().exitValue();
    }

    /** Kills the process, if it is running, and waits until it has ended. */
    public void stop() {
        process.destroyForcibly().onExit().join();
        try {
            SpringApplication.getShutdownHandlers().remove(atExit);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook with it.
        }
    }

    private String tail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
        } catch (IOException e) {
            return "no log: " + e.getMessage();
        }
    }
}
