package io.kubemirror.testing.real;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.Unchecked;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;

import org.junit.jupiter.api.Assumptions;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** A k3s cluster in a container, if a Docker engine is available. */
public final class K3sApiServer implements AutoCloseable {

    /** The version of the Kubernetes that parity is measured on. */
    public static final String VERSION = "1.36.4";

    private static final DockerImageName IMAGE =
            DockerImageName.parse("rancher/k3s:v" + VERSION + "-k3s1");

    private static final Path SOCKET = Path.of("/var/run/docker.sock");

    private final K3sContainer container;
    private final RestClient client;

    private K3sApiServer(K3sContainer container, ApiClient access) {
        this.container = container;
        client = new RestClient(access.getHttpClient(), URI.create(access.getBasePath()));
    }

    /**
     * Whether a Docker engine is available. Testcontainers logs what it tried as errors, which only
     * matter to those who have an engine.
     */
    private static boolean isAvailable() {
        LoggingSystem logging = LoggingSystem.get(K3sApiServer.class.getClassLoader());
        logging.setLogLevel("org.testcontainers", LogLevel.OFF);
        try {
            return DockerClientFactory.instance().isDockerAvailable();
        } finally {
            logging.setLogLevel("org.testcontainers", null);
        }
    }

    /**
     * Skips a test if no Docker engine answers. Fails it if the environment has {@code CI=true} and
     * an engine is said to be there: by {@code DOCKER_HOST} or by its socket.
     */
    public static void demand() {
        boolean answers = isAvailable();
        boolean announced = System.getenv().containsKey("DOCKER_HOST") || Files.exists(SOCKET);
        if (!answers && announced && "true".equals(System.getenv("CI"))) {
            throw new IllegalStateException(
                    "a Docker engine is said to be there, by DOCKER_HOST or "
                            + SOCKET
                            + ", but none answers");
        }
        Assumptions.assumeTrue(answers, "no Docker engine answers");
    }

    /**
     * Starts a cluster and waits until it is ready. It stores objects in etcd, which compacts them;
     * the default of k3s is SQLite.
     */
    public static K3sApiServer start() {
        K3sContainer container = new K3sContainer(IMAGE);
        container.setCommand(
                "server",
                "--cluster-init",
                "--disable=traefik",
                "--tls-san=" + container.getHost());
        // A machine that builds an image beside it is slow.
        container.withStartupTimeout(Duration.ofMinutes(3)).start();
        return new K3sApiServer(container, access(container));
    }

    /**
     * Loads an image that pods can then use without a registry.
     *
     * @param archive what {@code docker save} wrote
     */
    public void load(Path archive) {
        container.copyFileToContainer(MountableFile.forHostPath(archive), "/image.tar");
        ExecResult result =
                Unchecked.call(
                        () ->
                                container.execInContainer(
                                        "ctr", "-n", "k8s.io", "images", "import", "/image.tar"));
        if (result.getExitCode() != 0) {
            throw new IllegalStateException(result.getStderr());
        }
    }

    private static ApiClient access(K3sContainer container) {
        return Unchecked.call(
                () -> Config.fromConfig(new StringReader(container.getKubeConfigYaml())));
    }

    /** A client of its administrator. */
    public RestClient client() {
        return client;
    }

    @Override
    public void close() {
        container.close();
    }
}
