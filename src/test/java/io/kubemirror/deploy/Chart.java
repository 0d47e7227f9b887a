package io.kubemirror.deploy;

import module java.base;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.Unchecked;

import org.springframework.util.FileSystemUtils;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One of the charts, in a separate directory, where Helm may write the charts that it depends on.
 *
 * <p>Helm runs in this process as a library. Nothing is installed and no cluster is used.
 */
public final class Chart {

    private static final Path CHARTS = Path.of("helm");

    private final Path directory;
    private final String release;
    private final String namespace;

    private Chart(Path directory, String release, String namespace) {
        this.directory = directory;
        this.release = release;
        this.namespace = namespace;
    }

    /**
     * The chart of that name, released into a namespace.
     *
     * @param name the name of its directory
     * @param directory an empty directory
     */
    public static Chart of(String name, Path directory, String release, String namespace) {
        Unchecked.run(() -> FileSystemUtils.copyRecursively(CHARTS, directory));
        Chart chart = new Chart(directory.resolve(name), release, namespace);
        chart.fetchDependencies();
        return chart;
    }

    private void fetchDependencies() {
        if (YamlTrees.file(directory.resolve("Chart.yaml")).has("dependencies")) {
            new Helm(directory).dependency().update().call();
        }
    }

    /** What Helm finds to criticise in the chart with some values, in its strict mood. */
    LintResult lint(ChartValues values) {
        // Lint takes no values, so they become the chart's own.
        Path own = directory.resolve("values.yaml");
        ObjectNode merged = JsonTrees.merge(YamlTrees.file(own), values.tree());
        String kept = read(own);
        write(own, JsonMapper.shared().writeValueAsString(merged));
        try {
            return new Helm(directory).lint().strict().call();
        } finally {
            write(own, kept);
        }
    }

    /**
     * Renders the chart for a cluster of Kubernetes 1.34.
     *
     * @throws IllegalStateException with Helm's words, if the values are refused
     */
    public RenderedChart render(ChartValues values) {
        return render(values, "1.34.0");
    }

    RenderedChart render(ChartValues values, String kubernetes) {
        Path file = directory.resolveSibling("values-to-render.json");
        write(file, values.toString());
        return RenderedChart.of(
                new Helm(directory)
                        .template()
                        .withName(release)
                        .withNamespace(namespace)
                        .withKubeVersion(kubernetes)
                        .withValuesFile(file)
                        .call());
    }

    /** Renders hooks as other objects, which Helm as a library leaves out. */
    Chart withHooks() {
        Path test = directory.resolve("templates/tests/readiness.yaml");
        write(test, read(test).replace("helm.sh/hook", "example.com/hook"));
        return this;
    }

    private static String read(Path file) {
        return Unchecked.call(() -> Files.readString(file));
    }

    private static void write(Path file, String text) {
        Unchecked.run(() -> Files.writeString(file, text));
    }
}
