package io.kubemirror.testing;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import module java.base;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes in the JVM that it is started in, such as that of the image. */
public final class SelectedTests {

    private static final String RESULT = "Result:";

    /**
     * Returns a command that runs them with the class path of this JVM.
     *
     * @param java the program
     * @param options options of the JVM
     * @param classes the names of classes, without those of the package that all have in common
     */
    public static List<String> command(String java, List<String> options, String... classes) {
        return Stream.of(
                        Stream.of(java, "--enable-native-access=ALL-UNNAMED"),
                        options.stream(),
                        Stream.of("-cp", System.getProperty("java.class.path")),
                        Stream.of(SelectedTests.class.getName()),
                        Arrays.stream(classes).map(name -> "io.kubemirror." + name))
                .flatMap(part -> part)
                .toList();
    }

    /**
     * Returns the failures, and how many tests there were, of what it has printed; all of it if it
     * did not get that far.
     */
    public static String result(String output) {
        return output.substring(Math.max(0, output.lastIndexOf(RESULT)));
    }

    /**
     * Prints the failures, and how many tests there were. Ends with code 0 if some have passed, and
     * none has failed.
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
        System.out.println(RESULT);
        summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        System.out.printf(
                "%d tests passed, %d failed, %d skipped%n",
                summary.getTestsSucceededCount(),
                summary.getTotalFailureCount(),
                summary.getTestsSkippedCount()
                        + summary.getTestsAbortedCount()
                        + summary.getContainersSkippedCount()
                        + summary.getContainersAbortedCount());
        boolean passed =
                summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0;
        System.exit(passed ? 0 : 1);
    }
}
