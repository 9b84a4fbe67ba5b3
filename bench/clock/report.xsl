<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:key name="by-maker" match="item" use="maker"/>
  <xsl:template match="/catalogue">
    <report>
      <xsl:for-each select="item[price &gt; 50]">
        <xsl:sort select="maker"/>
        <xsl:sort select="price" data-type="number" order="descending"/>
        <line maker="{maker}" price="{format-number(price, '0.00')}" others="{count(key('by-maker', maker))}">
          <xsl:value-of select="translate(name, 'aeiou', 'AEIOU')"/>
          <xsl:apply-templates select="note"/>
        </line>
      </xsl:for-each>
    </report>
  </xsl:template>
  <xsl:template match="note">
    <xsl:if test="contains(., 'x')"><note><xsl:value-of select="substring-before(., 'x')"/></note></xsl:if>
  </xsl:template>
</xsl:stylesheet>
