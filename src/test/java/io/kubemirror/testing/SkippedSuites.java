package io.kubemirror.testing;

import module java.base;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints which test classes were skipped, in whole or in part, by reason, at the end of the tests.
 * Safe for use by any thread.
 */
public final class SkippedSuites implements TestExecutionListener {

    private final Map<String, SortedSet<String>> classes = new ConcurrentSkipListMap<>();

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

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        classes.forEach(
                (reason, names) ->
                        System.out.printf(
                                "Skipped tests of %d classes: %s%n    %s%n",
                                names.size(), reason, String.join(" ", names)));
        classes.clear();
    }

    private SortedSet<String> names(String reason) {
        return classes.computeIfAbsent(reason, _ -> new ConcurrentSkipListSet<>());
    }
}
