package io.kubemirror.deploy;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import module java.base;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes in the JVM that it is started in, such as that of the image. */
final class SelectedTests {

    /**
     * Ends with code 0 if all tests have passed, and there were some. Not static, because {@code
     * mvn spring-boot:test-run} starts the only class that has a static method of this name.
     *
     * @param arguments the names of classes
     */
    void main(String[] arguments) {
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(Arrays.stream(arguments).map(name -> selectClass(name)).toList())
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        boolean passed =
                summary.getTestsSucceededCount() > 0
                        && summary.getTotalFailureCount() == 0
                        && summary.getTestsSkippedCount() == 0;
        System.exit(passed ? 0 : 1);
    }
}
