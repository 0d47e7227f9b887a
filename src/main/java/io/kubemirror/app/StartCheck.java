package io.kubemirror.app;

import module java.base;

import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.logging.LogFile;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * Refuses settings that end a start, or the log, before any analyzer of failures is asked: Boot
 * prints stack traces about those of logs, and takes a server that is none for a missing bean.
 */
final class StartCheck
        implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    private static final String SERVER = "spring.main.web-application-type";

    private static final Set<String> FORMATS = Set.of("ecs", "gelf", "logstash");

    /** After the files are read, before logs are set up. */
    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER - 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        check(event.getEnvironment());
    }

    /**
     * Checks these settings.
     *
     * @throws InvalidConfigurationPropertyValueException if one cannot be used
     */
    static void check(Environment environment) {
        refuse(
                !environment.getProperty(SERVER, "servlet").equalsIgnoreCase("servlet"),
                SERVER,
                "kubemirror is a server, and runs as no other kind; remove it");
        String file = environment.getProperty("logging.config", "").strip();
        refuse(
                !file.isEmpty()
                        && !file.startsWith("-D")
                        && !new DefaultResourceLoader().getResource(location(file)).exists(),
                "logging.config",
                file + " does not exist; create it, or remove the property");
        checkFormat(environment, "logging.structured.format.console");
        checkFormat(environment, "logging.structured.format.file");
        LogFile log = LogFile.get(environment);
        if (log != null) {
            checkFile(environment, Path.of(log.toString()).toAbsolutePath());
        }
    }

    private static void checkFormat(Environment environment, String property) {
        String format = environment.getProperty(property, "").strip();
        refuse(
                !format.isEmpty()
                        && !FORMATS.contains(format.toLowerCase(Locale.ROOT))
                        && !ClassUtils.isPresent(format, null),
                property,
                "'" + format + "' is unknown; use one of ecs, gelf, logstash, or remove it");
    }

    private static String location(String file) {
        return file.matches("[a-z]{2,}:.*") ? file : "file:" + file;
    }

    /** The log would be lost, or would be a stack trace for each line. */
    private static void checkFile(Environment environment, Path file) {
        try {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                    .close();
        } catch (IOException | UnsupportedOperationException _) {
            String name = LogFile.FILE_NAME_PROPERTY;
            refuse(
                    true,
                    environment.containsProperty(name) ? name : LogFile.FILE_PATH_PROPERTY,
                    "cannot write %s; use a file that user %s can write, or remove it"
                            .formatted(file, System.getProperty("user.name")));
        }
    }

    private static void refuse(boolean wrong, String property, String problemAndRemedy) {
        if (wrong) {
            throw new InvalidConfigurationPropertyValueException(property, null, problemAndRemedy);
        }
    }
}
