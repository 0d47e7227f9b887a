package io.kubemirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/**
 * Reports the reason of a failed start in one line, with the property and the remedy. Boot's own
 * reporter, which prints eleven lines, is disabled in {@code application.yaml}: a single line is
 * easier to find in the log of a crashing pod.
 */
final class ConfigurationErrorReporter implements FailureAnalysisReporter {

    private static final Logger log = LoggerFactory.getLogger(ConfigurationErrorReporter.class);

    @Override
    public void report(FailureAnalysis analysis) {
        log.error("kubemirror cannot start: {}", line(analysis));
    }

    static String line(FailureAnalysis analysis) {
        String action = analysis.getAction();
        String text = analysis.getDescription() + (action == null ? "" : "; " + action);
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
