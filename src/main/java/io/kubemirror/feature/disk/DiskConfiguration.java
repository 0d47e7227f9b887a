package io.kubemirror.feature.disk;

import module java.base;

import io.kubemirror.app.KubeMirrorApplication;
import io.kubemirror.app.MirrorLifecycle;
import io.kubemirror.app.MirrorProperties;
import io.kubemirror.app.MirrorProperties.PersistenceProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.SteadyClock;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Stores mirrors in the configured directory. */
@Configuration(proxyBeanMethods = false)
class DiskConfiguration {

    /** Fills each mirror before its reflector starts. */
    @Bean
    @Nullable MirrorPersistence mirrorPersistence(
            MirrorProperties properties, SteadyClock clock, MirrorLifecycle lifecycle) {
        PersistenceProperties persistence = properties.persistence();
        String directory = persistence.directory();
        if (directory == null) {
            return null;
        }
        MirrorPersistence stored =
                new MirrorPersistence(
                        existing(directory),
                        persistence.limit(),
                        KubeMirrorApplication.built("version"),
                        clock,
                        System::nanoTime);
        lifecycle
                .mirrors()
                .listen(
                        new MirrorSet.Listener() {
                            @Override
                            public void added(Mirror mirror) {
                                lifecycle.fill(mirror, stored::restore);
                            }
                        });
        return stored;
    }

    /** One that cannot be written is reported, because that may change. */
    private static Path existing(String directory) {
        try {
            return MirrorPersistence.created(Path.of(directory));
        } catch (IOException | UnsupportedOperationException impossible) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.persistence.directory",
                    directory,
                    "is no directory and cannot be created; create it, or mount a volume there");
        }
    }
}
