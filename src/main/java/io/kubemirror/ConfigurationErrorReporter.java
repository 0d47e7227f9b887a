package io.kubemirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/**
 * Reports why a start failed in one line, with the property and the remedy. Boot's own reporter,
 * which prints a banner of eleven lines, is switched off in {@code application.yaml}: in the log of
 * a crashing pod one line is found, eleven are scrolled past.
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
