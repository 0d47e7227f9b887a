package io.kubemirror;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

import java.util.Optional;

/**
 * Ends a start that failed because of the configuration with one line which names the property and
 * the remedy.
 *
 * <p>Rejected: a {@code FailureAnalyzer}, whose analysis Boot always prints as a banner of eleven
 * lines; in the log of a crashing pod one line is found, eleven are scrolled past. Failures that
 * are no known mistake are left to Boot.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MistakeReporter implements SpringBootExceptionReporter {

    private static final Logger log = LoggerFactory.getLogger(MistakeReporter.class);

    @Override
    public boolean reportException(Throwable failure) {
        Optional<String> mistake = Mistakes.in(failure);
        mistake.ifPresent(line -> log.error("kubemirror cannot start: {}", line));
        return mistake.isPresent();
    }
}
