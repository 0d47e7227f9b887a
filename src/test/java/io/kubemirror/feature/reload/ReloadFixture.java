package io.kubemirror.feature.reload;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.feature.reload.ConfigurationStatus.Difference;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import okhttp3.OkHttpClient;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

/** The whole application with a configuration file that tests change, for each of them. */
final class ReloadFixture implements AfterEachCallback {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final Path file;
    private final OkHttpClient http = new OkHttpClient();
    private @Nullable ConfigurableApplicationContext application;

    /** Creates a fixture whose configuration file is not yet written. */
    ReloadFixture() {
        file =
                Unchecked.call(
                        () -> Files.createTempDirectory("reload").resolve("application.yaml"));
    }

    ScriptedApiServer server() {
        return server;
    }

    Path file() {
        return file;
    }

    /** The directory of the file, which is deleted after the test. */
    Path directory() {
        return Objects.requireNonNull(file.getParent());
    }

    /** Replaces the file in one step. */
    ReloadFixture write(String yaml) {
        try {
            Path next = file.resolveSibling("next");
            Files.writeString(next, yaml);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the application with further settings on its command line. */
    ReloadFixture start(String... settings) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("spring.config.additional-location=file:" + directory() + "/");
        all.add("kubemirror.upstream.server=" + server.url());
        application = ApplicationLauncher.with(all.toArray(String[]::new));
        return this;
    }

    /** Replaces the file, and reads it as the thread that watches files does a moment later. */
    ReloadFixture reload(String yaml) {
        write(yaml);
        bean(ConfigurationReloader.class).run();
        return this;
    }

    /** Waits until a condition is true. */
    static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(LIMIT).until(condition);
    }

    Difference status() {
        return bean(ConfigurationStatus.class).difference();
    }

    <T> T bean(Class<T> type) {
        return application().getBean(type);
    }

    <T> T bean(String name, Class<T> type) {
        return application().getBean(name, type);
    }

    ConfigurableApplicationContext application() {
        return Objects.requireNonNull(application);
    }

    RestClient client() {
        return new RestClient(http, url("local.server.port"));
    }

    RestClient management() {
        return new RestClient(http, url("local.management.port"));
    }

    URI url(String port) {
        return ApplicationLauncher.url(application(), port);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        if (application != null) {
            application.close();
        }
        server.close();
        http.connectionPool().evictAll();
        FileSystemUtils.deleteRecursively(directory());
    }
}
