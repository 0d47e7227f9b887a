package io.kubemirror.testing;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;

/**
 * Writes which test classes were skipped, in whole or in part, by reason. The build prints the file
 * at its end. Safe for use by any thread.
 */
public final class SkippedSuites implements TestExecutionListener {

    private static final Path FILE = Path.of("target", "skipped-suites.txt");

    private final Map<String, SortedSet<String>> classes = new ConcurrentSkipListMap<>();
    private final Path file;

    /** Created by JUnit. */
    public SkippedSuites() {
        this(FILE);
    }

    SkippedSuites(Path file) {
        this.file = file;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        add(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            add(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
        }
    }

    private void add(TestIdentifier test, String reason) {
        String line =
                reason.lines()
                        .findFirst()
                        .orElse("")
                        .replaceFirst("^(Assumption failed: |.* ==> )", "");
        String name =
                test.getSource()
                        .map(
                                source ->
                                        switch (source) {
                                            case ClassSource of -> of.getClassName();
                                            case MethodSource of -> of.getClassName();
                                            default -> test.getDisplayName();
                                        })
                        .orElseGet(test::getDisplayName);
        names(line).add(name.substring(name.lastIndexOf('.') + 1));
    }

    /** Adds to the file, because a build has several JVMs and plans for tests. */
    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (classes.isEmpty()) {
            return;
        }
        try {
            ForkLock.hold(file.resolveSibling(file.getFileName() + ".lock"), this::write);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        classes.clear();
    }

    private void write() throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        if (Files.exists(file)) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i += 2) {
                names(lines.get(i).replaceFirst("[^:]*: ", ""))
                        .addAll(List.of(lines.get(i + 1).strip().split(" ")));
            }
        }
        String text =
                classes.entrySet().stream()
                        .map(
                                skipped ->
                                        "Skipped tests of %d classes: %s%n    %s%n"
                                                .formatted(
                                                        skipped.getValue().size(),
                                                        skipped.getKey(),
                                                        String.join(" ", skipped.getValue())))
                        .collect(Collectors.joining());
        Files.writeString(file, text);
    }

    private SortedSet<String> names(String reason) {
        return classes.computeIfAbsent(reason, _ -> new ConcurrentSkipListSet<>());
    }
}
