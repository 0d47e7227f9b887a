package io.kubemirror;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * Asks the kubemirror of the same container whether it is ready, for the image's health check:
 * there is neither a shell nor {@code curl} in it.
 *
 * <p>Only the oldest client of the JDK is used, and nothing of the application: it runs every few
 * seconds and has to be cheap.
 */
final class HealthCheck {

    private static final int LIMIT_MILLIS = 3_000;

    private HealthCheck() {}

    /**
     * Ends the process with 0 if kubemirror has synchronised, else with 1.
     *
     * @param arguments none; the port is 8002 or the value of {@code MANAGEMENT_SERVER_PORT}
     */
    public static void main(String[] arguments) {
        String port = System.getenv().getOrDefault("MANAGEMENT_SERVER_PORT", "8002");
        System.exit(isReady(port) ? 0 : 1);
    }

    private static boolean isReady(String port) {
        URI readiness = URI.create("http://127.0.0.1:" + port + "/actuator/health/readiness");
        try {
            HttpURLConnection connection = (HttpURLConnection) readiness.toURL().openConnection();
            connection.setConnectTimeout(LIMIT_MILLIS);
            connection.setReadTimeout(LIMIT_MILLIS);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }
}
