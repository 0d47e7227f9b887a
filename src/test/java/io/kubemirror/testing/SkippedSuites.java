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
import java.nio.file.StandardOpenOption;
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
        classes.computeIfAbsent(line, _ -> new ConcurrentSkipListSet<>())
                .add(name.substring(name.lastIndexOf('.') + 1));
    }

    /** Adds to the file, because a build starts more than one JVM for tests. */
    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (classes.isEmpty()) {
            return;
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
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
