package io.kubemirror.clients;

import module java.base;
import module java.desktop;

/**
 * A picture of a page, made coarse: one pixel is the mean of {@value #CELL} by {@value #CELL}, so
 * that the edges of shapes, which browsers smooth differently, matter little.
 *
 * @param image the coarse picture
 */
record Picture(BufferedImage image) {

    private static final int CELL = 4;

    /** The difference of red, green, or blue from which a pixel is another one, of 255. */
    private static final int VISIBLE = 12;

    /** The number of other pixels in a picture that is the same: less than a letter has. */
    private static final long OTHERS = 4;

    /** Makes a picture of a PNG file's bytes coarse. */
    static Picture of(byte[] png) throws IOException {
        BufferedImage fine = ImageIO.read(new ByteArrayInputStream(png));
        BufferedImage coarse =
                new BufferedImage(
                        fine.getWidth() / CELL,
                        fine.getHeight() / CELL,
                        BufferedImage.TYPE_INT_RGB);
        for (int x = 0; x < coarse.getWidth(); x++) {
            for (int y = 0; y < coarse.getHeight(); y++) {
                coarse.setRGB(
                        x, y, mean(fine.getRGB(x * CELL, y * CELL, CELL, CELL, null, 0, CELL)));
            }
        }
        return new Picture(coarse);
    }

    /** Reads a coarse picture. */
    static Picture read(Path file) throws IOException {
        return new Picture(ImageIO.read(file.toFile()));
    }

    /** Writes the coarse picture. */
    void write(Path file) throws IOException {
        ImageIO.write(image, "png", file.toFile());
    }

    /** Returns whether it has the size of another one, and its pixels except for a few. */
    boolean looksLike(Picture other) {
        return others(other) <= OTHERS;
    }

    /** Returns the number of pixels that only one of them has, or that differ. */
    long others(Picture other) {
        int height = Math.max(image.getHeight(), other.image.getHeight());
        int width = Math.max(image.getWidth(), other.image.getWidth());
        return IntStream.range(0, width * height)
                .filter(i -> differ(other, i % width, i / width))
                .count();
    }

    private boolean differ(Picture other, int x, int y) {
        return !has(x, y)
                || !other.has(x, y)
                || distance(image.getRGB(x, y), other.image.getRGB(x, y)) >= VISIBLE;
    }

    private boolean has(int x, int y) {
        return x < image.getWidth() && y < image.getHeight();
    }

    private static int mean(int[] pixels) {
        return IntStream.of(16, 8, 0)
                .map(
                        shift ->
                                (int)
                                                IntStream.of(pixels)
                                                        .map(pixel -> pixel >> shift & 0xff)
                                                        .average()
                                                        .orElseThrow()
                                        << shift)
                .sum();
    }

    private static int distance(int one, int other) {
        return IntStream.of(16, 8, 0)
                .map(shift -> Math.abs((one >> shift & 0xff) - (other >> shift & 0xff)))
                .max()
                .orElseThrow();
    }
}
